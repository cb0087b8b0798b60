import { createHash } from 'node:crypto';
import { truncateText } from '../../common/text/truncate-text';
import { hashLongText } from '../../common/text/hash-long-text';
import type { ReceivedSmsRequest } from '../dto/phone-call.request';
import { MAX_ENCRYPTED_BYTES } from '../sends/send-limits';
import { DAY_MS } from '../../common/durations';

/** Longer values are truncated: a refused message would be lost. */
const MAX_SENDER_CHARACTERS = 256;
const MAX_MESSAGE_CHARACTERS = 10_000;

const MAX_FINGERPRINT_CHARACTERS = 128;

const MAX_TIME_CHARACTERS = 64;

/** An incoming message as a phone uploads it; the fields may have any type. */
export type IncomingSmsUpload = Readonly<ReceivedSmsRequest>;

export interface IncomingSms {
  readonly sender: string;
  /** Empty if the text is encrypted. */
  readonly message: string;
  readonly encrypted?: true;
  readonly encryptedMessage?: string;
  readonly receivedAt: Date;
  /** Present if the sender or the text was truncated. */
  readonly truncated?: true;
  /** Identifies the upload, for deduplication. */
  readonly fingerprint: string;
}

/** A message older than this at its upload is listed by the time it was received. */
const LATE_UPLOAD_MS = DAY_MS;

/** A message older than this at its upload raises no event. */
const MAX_EVENT_AGE_MS = 2 * DAY_MS;

/** @returns the message, or the reason why it is ignored. Not an error: a phone retries a refused upload indefinitely. */
export function parseUpload(upload: IncomingSmsUpload, now: Date): IncomingSms | { readonly reason: string } {
  if (!isText(upload.sender)) return { reason: 'The message has no sender' };
  const isEncrypted = upload.encrypted === true && isText(upload.encryptedMessage);
  const text = isEncrypted ? upload.encryptedMessage : upload.message;
  if (!isText(text)) return { reason: 'The message has no text' };
  const reportedAt = parseReportedTime(upload);
  if (reportedAt === null) return { reason: 'The time of the message is invalid' };
  const receivedAt = reportedAt ?? now;
  const fingerprint = isText(upload.fingerprint)
    ? hashLongText(upload.fingerprint, MAX_FINGERPRINT_CHARACTERS)
    : createHash('md5').update(`${upload.sender}|${text}|${receivedAt.getTime()}`).digest('hex');
  const sender = truncateText(upload.sender, MAX_SENDER_CHARACTERS);
  const stored = isEncrypted
    ? cutBytes(text, MAX_ENCRYPTED_BYTES)
    : truncateText(text, MAX_MESSAGE_CHARACTERS);
  const body = isEncrypted
    ? { message: '', encrypted: true as const, encryptedMessage: stored }
    : { message: stored };
  const truncated = sender !== upload.sender || stored !== text;
  return { sender, ...body, receivedAt, fingerprint, ...(truncated && { truncated }) };
}

/**
 * The timestamps to store, and whether the message raises its event. A message that is uploaded more than 24 hours late
 * is created at the time it was received, and its upload time becomes `originalCreatedAt`; more than 48 hours late, it
 * raises no event.
 */
export function resolveTimestamps(
  receivedAt: Date,
  now: Date,
): { createdAt: Date; originalCreatedAt?: Date; raisesEvent: boolean } {
  const ageMs = now.getTime() - receivedAt.getTime();
  return {
    ...(ageMs > LATE_UPLOAD_MS ? { createdAt: receivedAt, originalCreatedAt: now } : { createdAt: now }),
    raisesEvent: ageMs <= MAX_EVENT_AGE_MS,
  };
}

function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** @returns undefined if the phone reported no time, null if it is invalid. */
function parseReportedTime({ receivedAtInMillis, receivedAt }: IncomingSmsUpload): Date | null | undefined {
  const isAbsent = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  const value = isAbsent(receivedAtInMillis) ? receivedAt : receivedAtInMillis;
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  if (typeof value === 'string' && value.length > MAX_TIME_CHARACTERS) return null;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? null : time;
}
