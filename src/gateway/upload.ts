import { createHash } from 'node:crypto';

/** An incoming message as a phone uploads it: anything may stand in any field. */
export interface Upload {
  readonly sender?: unknown;
  readonly message?: unknown;
  readonly receivedAtInMillis?: unknown;
  readonly receivedAt?: unknown;
  readonly fingerprint?: unknown;
}

/** An SMS a phone has received. */
export interface IncomingSms {
  readonly sender: string;
  readonly message: string;
  readonly receivedAt: Date;
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
  const { sender, message } = upload;
  if (!isText(sender)) return { reason: 'The message has no sender' };
  if (!isText(message)) return { reason: 'The message has no text' };
  const said = saidTime(upload);
  if (said === null) return { reason: 'The time of the message cannot be read' };
  const receivedAt = said ?? now;
  const fingerprint = isText(upload.fingerprint)
    ? upload.fingerprint
    : createHash('md5').update(`${sender}|${message}|${receivedAt.getTime()}`).digest('hex');
  return { sender, message, receivedAt, fingerprint };
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

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What the phone says of the time: undefined when nothing, null when nothing that can be read. */
function saidTime({ receivedAtInMillis, receivedAt }: Upload): Date | null | undefined {
  const isAbsent = (value: unknown) => value === undefined || value === null || value === 0 || value === '';
  const said = isAbsent(receivedAtInMillis) ? receivedAt : receivedAtInMillis;
  if (isAbsent(said)) return undefined;
  if (typeof said !== 'number' && typeof said !== 'string') return null;
  const time = new Date(said);
  return Number.isNaN(time.getTime()) ? null : time;
}
