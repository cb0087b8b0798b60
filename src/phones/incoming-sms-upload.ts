import { createHash } from 'node:crypto';
import { truncateText } from '../common/text/truncate-text';
import { hashLongText } from '../common/text/hash-long-text';
import { MAX_ENCRYPTED_BYTES } from '../gateway/send-input/send-limits';
import { DAY_MS } from '../common/durations';
import { plausibleTime, readPhoneTime } from '../common/phone-time';
import { REPAIRED_FIELDS, type RepairedField } from '../messages/message.schema';

/** Longer values are truncated: a refused message would be lost. */
const MAX_SENDER_CHARACTERS = 256;
const MAX_MESSAGE_CHARACTERS = 10_000;

const MAX_FINGERPRINT_CHARACTERS = 128;

/** Stored if the phone reports no sender, as for other texts that a phone does not report. */
export const UNKNOWN_SENDER = 'unknown';

/** An incoming message as a phone uploads it; the fields may have any type. */
export interface IncomingSmsUpload {
  readonly sender?: unknown;
  readonly message?: unknown;
  readonly encrypted?: unknown;
  readonly encryptedMessage?: unknown;
  /** Milliseconds since 1970. */
  readonly receivedAtInMillis?: unknown;
  /** ISO 8601; used if `receivedAtInMillis` is absent or cannot be right. */
  readonly receivedAt?: unknown;
  /** Identifies the upload. Absent: computed. */
  readonly fingerprint?: unknown;
  /** The SIM that received it. */
  readonly simSubscriptionId?: unknown;
}

export interface IncomingSms {
  readonly sender: string;
  /** Empty if the text is encrypted. */
  readonly message: string;
  readonly encrypted?: true;
  readonly encryptedMessage?: string;
  readonly receivedAt: Date;
  /** Present if the sender or the text was truncated. */
  readonly truncated?: true;
  /** Present if the phone sent a field otherwise than as documented. */
  readonly repairedFields?: readonly RepairedField[];
  /** Identifies the upload, for deduplication. */
  readonly fingerprint: string;
  readonly simSubscriptionId?: number;
}

/** A message older than this at its upload is listed by the time it was received. */
const LATE_UPLOAD_MS = DAY_MS;

/** A message older than this at its upload raises no event. */
const MAX_EVENT_AGE_MS = 2 * DAY_MS;

/**
 * Reads an upload. A text is kept whatever else the phone sent: an absent sender is `unknown`, and a time that cannot be right
 * is replaced by that of the upload.
 * @returns the message, or the reason why it is ignored. Not an error: a phone retries a refused upload indefinitely.
 */
export function parseUpload(upload: IncomingSmsUpload, now: Date): IncomingSms | { readonly reason: string } {
  const text = readBody(upload);
  if (text.value === '') return { reason: 'The message has no text' };
  const sender = readText(upload.sender);
  const time = readTime(upload, now);
  const fingerprint = isText(upload.fingerprint)
    ? hashLongText(upload.fingerprint, MAX_FINGERPRINT_CHARACTERS)
    : createHash('md5').update(`${sender.value}|${text.value}|${time.asSent}`).digest('hex');
  const storedSender = truncateText(sender.value, MAX_SENDER_CHARACTERS);
  const storedText = text.isEncrypted
    ? cutBytes(text.value, MAX_ENCRYPTED_BYTES)
    : truncateText(text.value, MAX_MESSAGE_CHARACTERS);
  const body = text.isEncrypted
    ? { message: '', encrypted: true as const, encryptedMessage: storedText }
    : { message: storedText };
  const truncated = storedSender !== sender.value || storedText !== text.value;
  const repairedFields = REPAIRED_FIELDS.filter(
    (field) =>
      ({
        sender: sender.value === '' || sender.isRepaired,
        message: text.isRepaired,
        receivedAt: time.isRepaired,
      })[field],
  );
  return {
    sender: storedSender || UNKNOWN_SENDER,
    ...body,
    receivedAt: time.receivedAt,
    fingerprint,
    ...(isSubscriptionId(upload.simSubscriptionId) && { simSubscriptionId: upload.simSubscriptionId }),
    ...(truncated && { truncated }),
    ...(repairedFields.length > 0 && { repairedFields }),
  };
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

const isSubscriptionId = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

interface ReadText {
  /** Empty if the phone sent none. */
  readonly value: string;
  /** Whether it was not sent as a text. */
  readonly isRepaired: boolean;
}

/** Numbers and booleans become texts, and the texts of a list, as of a field that a form repeats, are joined. */
function readText(raw: unknown): ReadText {
  const parts = Array.isArray(raw) ? (raw as unknown[]) : [raw];
  const texts = parts.filter((part) => ['string', 'number', 'boolean'].includes(typeof part)).map(String);
  const value = texts.join('');
  return { value, isRepaired: value !== '' && typeof raw !== 'string' };
}

/** The encrypted text if the phone says so, or sent no other. */
function readBody(upload: IncomingSmsUpload): ReadText & { readonly isEncrypted: boolean } {
  const plain = readText(upload.message);
  const encrypted = readText(upload.encryptedMessage);
  const isEncrypted =
    encrypted.value !== '' && (plain.value === '' || /^(true|1)$/i.test(readText(upload.encrypted).value));
  return { ...(isEncrypted ? encrypted : plain), isEncrypted };
}

const isAbsent = (value: unknown) => value === undefined || value === '' || readPhoneTime(value) === 0;

/** The first time that can be right, or that of the upload; and what identifies a repeated upload: the time as it was sent. */
function readTime({ receivedAtInMillis, receivedAt }: IncomingSmsUpload, now: Date) {
  const sent = [receivedAtInMillis, receivedAt].filter((value) => !isAbsent(value));
  const [plausible] = sent.flatMap((value) => plausibleTime(readPhoneTime(value), now) ?? []);
  const [asSent = now.getTime()] = sent.flatMap(
    (value) => readPhoneTime(value) ?? (isText(value) ? value : []),
  );
  return { receivedAt: plausible ?? now, asSent, isRepaired: sent.length > 0 && !plausible };
}
