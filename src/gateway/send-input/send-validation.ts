import { Types } from 'mongoose';
import { FieldErrors } from '../../common/errors';
import { parseId } from '../../common/http/requests/id.pipe';
import { parseIsoDateTime } from '../../common/http/requests/iso-date-time';
import { readRecipient } from './read-recipient';
import type { SendEntryInput, SendInput, SendOptionsInput } from './send-input';
import { MAX_ENCRYPTED_BYTES, MAX_CODE_POINTS, MAX_RECIPIENTS, MAX_VALIDITY_SECONDS } from './send-limits';
import type { BatchPurpose, QuietHours } from '../../messages/batch.schema';
import { TOPIC, TOPIC_RULE } from './topic';
import type { Priority } from '../../messages/message.schema';
import { DAY_MS, SECOND_MS } from '../../common/durations';
import { partsOf } from '../../messages/text/segments';
import { forEachInSlices, inSlices } from '../../common/slices';
import { sum } from '../../common/sum';

const MAX_SCHEDULE_AHEAD_DAYS = 30;
const MAX_VALID_AHEAD_DAYS = MAX_SCHEDULE_AHEAD_DAYS + (MAX_VALIDITY_SECONDS * SECOND_MS) / DAY_MS;

export interface SendEntry {
  /** Empty if the text is encrypted. */
  readonly message: string;
  readonly encryptedMessage?: string;
  /** SMS parts of each message, at most; see `partsOf`. */
  readonly parts: number;
  readonly recipients: readonly string[];
  readonly simSubscriptionId?: number;
  readonly scheduledAt?: Date;
  /** After it is due. */
  readonly validUntil?: Date;
}

/** A valid send request, normalized. */
export interface ValidatedSend {
  readonly entries: readonly SendEntry[];
  readonly deviceId?: Types.ObjectId;
  readonly poolId?: Types.ObjectId;
  readonly messageTemplate?: string;
  /** Absent: normal. */
  readonly priority?: Priority;
  readonly quietHours?: QuietHours;
  /** Absent: not declared. */
  readonly purpose?: BatchPurpose;
  readonly topic?: string;
}

/** @returns the path of an entry's field in the request body. */
export function entryField({ entriesField, kept }: SendInput, entry: number, field: string): string {
  return entriesField ? `${entriesField}.${kept?.[entry]?.entry ?? entry}.${field}` : field;
}

/** @returns the path of a recipient in the request body. */
export function recipientField(input: SendInput, entry: number, recipient: number): string {
  const place = input.kept?.[entry]?.recipients[recipient] ?? recipient;
  return entryField(input, entry, `recipients.${place}`);
}

export type ReportError = (field: string, text: string) => void;

/** @throws ValidationFailed with the errors that are reported for the entries. */
export async function checkEntries(
  input: SendInput,
  entries: readonly SendEntry[],
  check: (entry: SendEntry, report: ReportError) => void,
): Promise<void> {
  const errors = new FieldErrors();
  await forEachInSlices(entries, (entry, number) => {
    check(entry, (field, text) => {
      errors.add(entryField(input, number, field), text);
    });
  });
  errors.throwIfAny();
}

/**
 * Validates what does not depend on stored data.
 * @throws ValidationFailed with an error for each invalid field.
 */
export async function validateSend(input: SendInput, now: Date): Promise<ValidatedSend> {
  const errors = new FieldErrors();
  const report = errors.add.bind(errors);
  const { options = {} } = input;
  const validUntil = readValidUntil(options, report, now);
  const entries = await inSlices(readEntries());
  function* readEntries(): Generator<undefined, SendEntry[]> {
    const read: SendEntry[] = [];
    for (const [number, entry] of input.entries.entries()) {
      if (input.entriesField && isBlank(entry)) {
        report(`${input.entriesField}.${number}`, 'is empty: set message and recipients, or remove it');
      } else {
        const reportField = (field: string, text: string) => {
          report(entryField(input, number, field), text);
        };
        const given = yield* readEntry(entry, reportField, now);
        read.push(withDeadline(given, options, validUntil, reportField, now));
      }
      yield;
    }
    return read;
  }
  const total = sum(entries, ({ recipients }) => recipients.length);
  if (total > MAX_RECIPIENTS) report(input.entriesField ?? 'recipients', tooManyRecipients(total));
  const readId = (field: 'deviceId' | 'poolId') => {
    const id = errors.parse(field, input[field], parseId, 'is not a valid id');
    return id && { [field]: id };
  };
  const sender = { ...readId('deviceId'), ...readId('poolId') };
  if (input.deviceId !== undefined && input.poolId !== undefined)
    report('poolId', 'must be omitted if the device is named');
  const quietHours = readQuietHours(options, report);
  const { topic } = options;
  const purpose = input.isConsentReply ? 'consent' : options.purpose;
  if (topic !== undefined && !TOPIC.test(topic)) report('topic', TOPIC_RULE);
  errors.throwIfAny();
  return {
    entries,
    messageTemplate: input.messageTemplate,
    ...sender,
    ...(options.priority === 'urgent' && { priority: options.priority }),
    ...(quietHours && { quietHours }),
    ...(purpose && { purpose }),
    ...(topic !== undefined && { topic }),
  };
}

/** Spreadsheet integrations send empty rows. */
function isBlank({ message, smsBody, encryptedMessage, recipients, receivers }: SendEntryInput): boolean {
  const isEmpty = (value: unknown) => !value || (typeof value === 'string' && value.trim() === '');
  return (
    isEmpty(message ?? smsBody) &&
    isEmpty(encryptedMessage) &&
    (recipients ?? receivers ?? []).slice(0, MAX_RECIPIENTS).every(isEmpty)
  );
}

function* readEntry(input: SendEntryInput, report: ReportError, now: Date): Generator<undefined, SendEntry> {
  const body = readBody(input, report);
  return {
    ...body,
    parts: partsOf(body),
    recipients: yield* readRecipients(input.recipients ?? input.receivers, report),
    simSubscriptionId: input.simSubscriptionId,
    scheduledAt: readSchedule(input.scheduledAt, report, now),
  };
}

function readBody(
  input: SendEntryInput,
  report: ReportError,
): Pick<SendEntry, 'message' | 'encryptedMessage'> {
  const { encrypted = false, encryptedMessage } = input;
  const text = input.message ?? input.smsBody;
  if (!encrypted) {
    if (encryptedMessage !== undefined) report('encryptedMessage', 'requires encrypted: true');
    return { message: readText(text, report) };
  }
  if (text) report('message', 'must be omitted when encrypted is true');
  if (!encryptedMessage) {
    report('encryptedMessage', 'is required when encrypted is true');
    return { message: '' };
  }
  const bytes = Buffer.byteLength(encryptedMessage);
  if (bytes > MAX_ENCRYPTED_BYTES) {
    report('encryptedMessage', `must not be longer than ${MAX_ENCRYPTED_BYTES} bytes; it has ${bytes}`);
  }
  return { message: '', encryptedMessage };
}

function readText(text: string | undefined, report: ReportError): string {
  if (!text) {
    report('message', 'is required: the text to send');
    return '';
  }
  const codePoints = Array.from(text).length;
  if (codePoints > MAX_CODE_POINTS) {
    report('message', `must not be longer than ${MAX_CODE_POINTS} characters; it has ${codePoints}`);
    return '';
  }
  return text;
}

function* readRecipients(
  recipients: readonly unknown[] | undefined,
  report: ReportError,
): Generator<undefined, string[]> {
  if (!recipients?.length) {
    report('recipients', 'is required: a list of phone numbers');
    return [];
  }
  if (recipients.length > MAX_RECIPIENTS) {
    report('recipients', tooManyRecipients(recipients.length));
    return [];
  }
  const numbers: string[] = [];
  for (const [index, recipient] of recipients.entries()) {
    const read = readRecipient(recipient);
    if (read.number !== undefined) numbers.push(read.number);
    else {
      const value = typeof recipient === 'string' ? JSON.stringify(read.value) : read.value;
      report(`recipients.${index}`, `${value} ${read.reason}`.trimStart());
    }
    yield;
  }
  return numbers;
}

const tooManyRecipients = (count: number) =>
  `must not have more than ${MAX_RECIPIENTS} recipients in one request; it has ${count}`;

function readValidUntil(
  { validUntil: text, validForSeconds }: SendOptionsInput,
  report: ReportError,
  now: Date,
): Date | undefined {
  if (text === undefined) return undefined;
  if (validForSeconds !== undefined) report('validForSeconds', 'must be omitted when validUntil is set');
  return readFutureTime('validUntil', text, MAX_VALID_AHEAD_DAYS, report, now);
}

function withDeadline(
  entry: SendEntry,
  { validForSeconds }: SendOptionsInput,
  validUntil: Date | undefined,
  report: ReportError,
  now: Date,
): SendEntry {
  if (validForSeconds !== undefined) {
    const dueAt = entry.scheduledAt ?? now;
    return { ...entry, validUntil: new Date(dueAt.getTime() + validForSeconds * SECOND_MS) };
  }
  if (!validUntil) return entry;
  if (entry.scheduledAt && entry.scheduledAt >= validUntil)
    report('scheduledAt', 'must be before validUntil');
  return { ...entry, validUntil };
}

function readQuietHours({ quietHours }: SendOptionsInput, report: ReportError): QuietHours | undefined {
  if (!quietHours) return undefined;
  const { from, to } = quietHours;
  if (from === to) report('quietHours.to', 'must differ from quietHours.from');
  return { from, to };
}

/** Reads the time of a send: in the future, at most 30 days ahead. */
export function readSchedule(text: string | undefined, report: ReportError, now: Date): Date | undefined {
  return text === undefined
    ? undefined
    : readFutureTime('scheduledAt', text, MAX_SCHEDULE_AHEAD_DAYS, report, now);
}

function readFutureTime(
  field: string,
  text: string,
  maxDaysAhead: number,
  report: ReportError,
  now: Date,
): Date | undefined {
  const time = parseIsoDateTime(text);
  if (!time) {
    report(field, 'must be an ISO 8601 time with its zone (Z or +hh:mm), such as 2026-01-31T09:00:00+01:00');
  } else if (time <= now) {
    report(field, 'must be in the future');
  } else if (time.getTime() > now.getTime() + maxDaysAhead * DAY_MS) {
    report(field, `must not be more than ${maxDaysAhead} days ahead`);
  }
  return time ?? undefined;
}
