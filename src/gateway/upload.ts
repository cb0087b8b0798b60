import { createHash } from 'node:crypto';
import { cutText } from '../common/cut-text';
import { hashLongText } from '../common/hash-long-text';
import { MAX_ENCRYPTED_BYTES } from './send-limits';

/** Characters kept of what a phone uploads. A refused message would be lost, so a longer one is stored cut. */
const MAX_SENDER_CHARACTERS = 256;
const MAX_MESSAGE_CHARACTERS = 10_000;

/** A longer fingerprint is stored as its hash, which identifies the upload as well. */
const MAX_FINGERPRINT_CHARACTERS = 128;

/** Longer than any time in ISO 8601. */
const MAX_TIME_CHARACTERS = 64;

/** An incoming message as a phone uploads it: anything may stand in any field. */
export interface Upload {
  readonly sender?: unknown;
  readonly message?: unknown;
  readonly encrypted?: unknown;
  readonly encryptedMessage?: unknown;
  readonly receivedAtInMillis?: unknown;
  readonly receivedAt?: unknown;
  readonly fingerprint?: unknown;
}

/** An SMS a phone has received. */
export interface IncomingSms {
  readonly sender: string;
  /** Empty where the text is encrypted. */
  readonly message: string;
  readonly encrypted?: true;
  readonly encryptedMessage?: string;
  readonly receivedAt: Date;
  /** Present when sender or text was longer than what is kept of them. */
  readonly truncated?: true;
  /** Identifies the upload. */
  readonly fingerprint: string;
}

/** Older than this at its upload, a message is listed where it belongs in time. */
const LATE_MS = 24 * 3_600_000;

/** Older than this at its upload, a message raises no event. */
const TOO_LATE_FOR_EVENT_MS = 48 * 3_600_000;

/**
 * Reads an upload.
 * @returns the reason why it can never be accepted, or the message. It is not an error: a phone repeats what is
 * refused for ever.
 */
export function readUpload(upload: Upload, now: Date): IncomingSms | { readonly reason: string } {
  if (!isText(upload.sender)) return { reason: 'The message has no sender' };
  const isEncrypted = upload.encrypted === true && isText(upload.encryptedMessage);
  const text = isEncrypted ? upload.encryptedMessage : upload.message;
  if (!isText(text)) return { reason: 'The message has no text' };
  const said = saidTime(upload);
  if (said === null) return { reason: 'The time of the message cannot be read' };
  const receivedAt = said ?? now;
  const fingerprint = isText(upload.fingerprint)
    ? hashLongText(upload.fingerprint, MAX_FINGERPRINT_CHARACTERS)
    : createHash('md5').update(`${upload.sender}|${text}|${receivedAt.getTime()}`).digest('hex');
  const sender = cutText(upload.sender, MAX_SENDER_CHARACTERS);
  const kept = isEncrypted ? cutBytes(text, MAX_ENCRYPTED_BYTES) : cutText(text, MAX_MESSAGE_CHARACTERS);
  const body = isEncrypted
    ? { message: '', encrypted: true as const, encryptedMessage: kept }
    : { message: kept };
  const truncated = sender !== upload.sender || kept !== text;
  return { sender, ...body, receivedAt, fingerprint, ...(truncated && { truncated }) };
}

/** When a message is stored as created, and whether it still raises its event (spec, late uploads). */
export function lateness(
  receivedAt: Date,
  now: Date,
): { createdAt: Date; originalCreatedAt?: Date; raises: boolean } {
  const age = now.getTime() - receivedAt.getTime();
  return {
    ...(age > LATE_MS ? { createdAt: receivedAt, originalCreatedAt: now } : { createdAt: now }),
    raises: age <= TOO_LATE_FOR_EVENT_MS,
  };
}

/** The first bytes of a text in UTF-8, without half a character at the end. */
function cutBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return new TextDecoder().decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What the phone says of the time: undefined when nothing, null when nothing that can be read. */
function saidTime({ receivedAtInMillis, receivedAt }: Upload): Date | null | undefined {
  const isAbsent = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  const said = isAbsent(receivedAtInMillis) ? receivedAt : receivedAtInMillis;
  if (isAbsent(said)) return undefined;
  if (typeof said !== 'number' && typeof said !== 'string') return null;
  if (typeof said === 'string' && said.length > MAX_TIME_CHARACTERS) return null;
  const time = new Date(said);
  return Number.isNaN(time.getTime()) ? null : time;
}
