import { type Encoding, sizeOf } from '../../messages/text/segments';
import type { SendInput } from '../dto/send.request';

export interface SendSize {
  /** SMS parts of all messages. Absent if a text is encrypted: only the phone knows its size. */
  readonly segments?: number;
  /** Absent if the messages differ, or a text is encrypted. */
  readonly encoding?: Encoding;
}

/** The size of a valid send. Derived from the request, so that a repeated one has the same answer. */
export function sizeOfSend({ entries }: SendInput): SendSize {
  let segments = 0;
  const encodings = new Set<Encoding>();
  for (const { message, smsBody, encrypted, recipients, receivers } of entries) {
    if (encrypted) return {};
    const size = sizeOf(message ?? smsBody ?? '');
    segments += size.segments * (recipients ?? receivers ?? []).length;
    encodings.add(size.encoding);
  }
  const [encoding, ...others] = encodings;
  return { segments, ...(others.length === 0 && { encoding }) };
}
