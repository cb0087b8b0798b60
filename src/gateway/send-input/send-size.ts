import { forEachInSlices } from '../../common/slices';
import { type Encoding, sizeOf } from '../../messages/text/segments';
import type { SendInput } from './send-input';

/** Empty if a text is encrypted: only the phone knows its size. */
export interface SendSize {
  /** SMS parts of each message. Absent if the texts differ. */
  readonly segments?: number;
  /** SMS parts of all messages. */
  readonly parts?: number;
  /** Absent if the messages differ. */
  readonly encoding?: Encoding;
}

/** The size of a valid send. Derived from the request, so that a repeated one has the same answer. */
export async function sizeOfSend({ entries }: SendInput): Promise<SendSize> {
  if (entries.some(({ encrypted }) => encrypted)) return {};
  let parts = 0;
  let segments: number | undefined;
  const texts = new Set<string>();
  const encodings = new Set<Encoding>();
  await forEachInSlices(entries, ({ message, smsBody, recipients, receivers }) => {
    const text = message ?? smsBody ?? '';
    const size = sizeOf(text);
    segments = size.segments;
    parts += size.segments * (recipients ?? receivers ?? []).length;
    texts.add(text);
    encodings.add(size.encoding);
  });
  const [encoding] = encodings;
  return {
    ...(texts.size === 1 && { segments }),
    parts,
    ...(encodings.size === 1 && { encoding }),
  };
}
