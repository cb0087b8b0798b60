import { Types } from 'mongoose';
import { FieldFault, ValidationFailed } from '../common/errors';
import { parseId } from '../common/http/id.pipe';
import { parseInstant } from '../common/http/instant';
import { normalisePhoneNumber } from '../common/phone-number';
import { MAX_ENCRYPTED_BYTES, MOST_CODE_POINTS, MOST_RECIPIENTS } from './send-limits';

const FURTHEST_SCHEDULE_DAYS = 30;
const MS_A_DAY = 86_400_000;

/** One text to its recipients, checked and normalised. */
export interface SendEntry {
  /** Empty where the text is encrypted. */
  readonly message: string;
  readonly encryptedMessage?: string;
  readonly recipients: readonly string[];
  readonly simSubscriptionId?: number;
  readonly scheduledAt?: Date;
}

/** A send request, checked and normalised. */
export interface SendOrder {
  readonly entries: readonly SendEntry[];
  readonly deviceId?: Types.ObjectId;
  readonly messageTemplate?: string;
}

/** An entry as clients write it; types are checked, rules are not. */
export interface RawEntry {
  readonly message?: string;
  readonly smsBody?: string;
  readonly encrypted?: boolean;
  readonly encryptedMessage?: string;
  readonly recipients?: readonly unknown[];
  readonly receivers?: readonly unknown[];
  readonly simSubscriptionId?: number;
  readonly scheduledAt?: string;
}

export interface RawOrder {
  readonly entries: readonly RawEntry[];
  /** The field the entries stand in, for naming what is at fault; absent where the request is the entry. */
  readonly entriesField?: string;
  readonly deviceId?: string;
  readonly messageTemplate?: string;
}

/** How a client finds the field of an entry in its request. */
export function entryField({ entriesField }: RawOrder, entry: number, field: string): string {
  return entriesField ? `${entriesField}.${entry}.${field}` : field;
}

/**
 * Checks a send request against the rules that need no look at the database.
 * @throws ValidationFailed naming every field at fault.
 */
export function readSendOrder(raw: RawOrder, now: Date): SendOrder {
  const faults: FieldFault[] = [];
  const fault = (field: string, text: string) => {
    faults.push({ field, message: `${field} ${text}`.replace('  ', ' ') });
  };
  const entries = raw.entries.map((entry, number) => {
    if (raw.entriesField && isBlank(entry)) {
      fault(`${raw.entriesField}.${number}`, 'is blank: give it message and recipients, or leave it out');
      return { message: '', recipients: [] };
    }
    return readEntry(
      entry,
      (field, text) => {
        fault(entryField(raw, number, field), text);
      },
      now,
    );
  });
  const total = entries.reduce((sum, { recipients }) => sum + recipients.length, 0);
  if (total > MOST_RECIPIENTS) {
    fault(
      raw.entriesField ?? 'recipients',
      `must not be more than ${MOST_RECIPIENTS} in one request; there are ${total}`,
    );
  }
  const deviceId = raw.deviceId === undefined ? undefined : parseId(raw.deviceId);
  if (deviceId === null) fault('deviceId', 'is not a valid id');
  if (faults.length > 0) throw new ValidationFailed(faults);
  return { entries, messageTemplate: raw.messageTemplate, ...(deviceId && { deviceId }) };
}

/** A row of a table with nothing in it. */
function isBlank({ message, smsBody, encryptedMessage, recipients, receivers }: RawEntry): boolean {
  const isEmpty = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '');
  return (
    isEmpty(message ?? smsBody ?? encryptedMessage ?? null) &&
    (recipients ?? receivers ?? []).slice(0, MOST_RECIPIENTS).every(isEmpty)
  );
}

function readEntry(raw: RawEntry, fault: (field: string, text: string) => void, now: Date): SendEntry {
  return {
    ...readBody(raw, fault),
    recipients: readRecipients(raw.recipients ?? raw.receivers, fault),
    simSubscriptionId: raw.simSubscriptionId,
    scheduledAt: readSchedule(raw.scheduledAt, fault, now),
  };
}

type Fault = (field: string, text: string) => void;

/** The text of an entry: as it is, or encrypted. */
function readBody(raw: RawEntry, fault: Fault): Pick<SendEntry, 'message' | 'encryptedMessage'> {
  const { encrypted = false, encryptedMessage } = raw;
  const text = raw.message ?? raw.smsBody;
  if (!encrypted) {
    if (encryptedMessage !== undefined) fault('encryptedMessage', 'can only be given with encrypted: true');
    return { message: readText(text, fault) };
  }
  if (text) fault('message', 'must be left out where encrypted is true: it would be stored as it is');
  if (!encryptedMessage) {
    fault('encryptedMessage', 'must be given where encrypted is true');
    return { message: '' };
  }
  const bytes = Buffer.byteLength(encryptedMessage);
  if (bytes > MAX_ENCRYPTED_BYTES) {
    fault('encryptedMessage', `must not be longer than ${MAX_ENCRYPTED_BYTES} bytes; it has ${bytes}`);
  }
  return { message: '', encryptedMessage };
}

function readText(text: string | undefined, fault: (field: string, text: string) => void): string {
  if (!text) {
    fault('message', 'must be given: the text to send');
    return '';
  }
  const codePoints = Array.from(text).length;
  if (codePoints > MOST_CODE_POINTS) {
    fault('message', `must not be longer than ${MOST_CODE_POINTS} characters; it has ${codePoints}`);
  }
  return text;
}

function readRecipients(
  recipients: readonly unknown[] | undefined,
  fault: (field: string, text: string) => void,
): string[] {
  if (!recipients?.length) {
    fault('recipients', 'must be given: a list of phone numbers');
    return [];
  }
  if (recipients.length > MOST_RECIPIENTS) {
    fault(
      'recipients',
      `must not be more than ${MOST_RECIPIENTS} in one request; there are ${recipients.length}`,
    );
    return [];
  }
  const numbers: string[] = [];
  for (const [index, recipient] of recipients.entries()) {
    const number = typeof recipient === 'string' ? normalisePhoneNumber(recipient) : null;
    if (number === null) {
      fault(
        `recipients.${index}`,
        `${shown(recipient)} is not a phone number: 3 to 15 digits, with or without a leading +`,
      );
    } else numbers.push(number);
  }
  return numbers;
}

const MAX_SHOWN_CHARACTERS = 40;

/** A value as its sender finds it in the request: quoted, and not longer than a line. */
function shown(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : '';
  const start = Array.from(value.slice(0, 2 * MAX_SHOWN_CHARACTERS))
    .slice(0, MAX_SHOWN_CHARACTERS)
    .join('');
  return JSON.stringify(start.length < value.length ? `${start}...` : value);
}

function readSchedule(
  text: string | undefined,
  fault: (field: string, text: string) => void,
  now: Date,
): Date | undefined {
  if (text === undefined) return undefined;
  const scheduledAt = parseInstant(text);
  if (!scheduledAt) {
    fault(
      'scheduledAt',
      'must be an ISO 8601 time with its zone (Z or +hh:mm), such as 2026-01-31T09:00:00+01:00',
    );
  } else if (scheduledAt <= now) {
    fault('scheduledAt', 'must be in the future');
  } else if (scheduledAt.getTime() > now.getTime() + FURTHEST_SCHEDULE_DAYS * MS_A_DAY) {
    fault('scheduledAt', `must not be more than ${FURTHEST_SCHEDULE_DAYS} days ahead`);
  }
  return scheduledAt ?? undefined;
}
