import {
  asArray,
  asObject,
  type JsonObject,
  optionalBoolean,
  optionalDate,
  optionalEnum,
  optionalInteger,
  optionalString,
  requiredString,
  UnreadableJson,
} from './gson';

export const SMS_STATES = [
  'Pending',
  'Cancelling',
  'Cancelled',
  'Processed',
  'Sent',
  'Delivered',
  'Failed',
] as const;
export type SmsState = (typeof SMS_STATES)[number];

/** An element of the answer to `GET /message`. */
export interface ListedMessage {
  readonly id: string;
  readonly text: string;
  readonly phoneNumbers: readonly string[];
  readonly simNumber?: number;
  readonly withDeliveryReport: boolean;
  readonly isEncrypted: boolean;
  readonly priority: number;
  /** Epoch milliseconds. */
  readonly validUntil?: number;
  readonly state?: SmsState;
}

const MAX_LIST = 100;
const MAX_ID = 36;

/**
 * Reads a list as the app does: one unreadable element loses all of them.
 * @param report receives what the app accepts, but the protocol does not allow.
 * @throws UnreadableJson
 */
export function readMessages(body: unknown, report: (violation: string) => void): ListedMessage[] {
  const list = asArray(body, 'messages');
  if (list.length > MAX_LIST) report(`${list.length} messages in a list`);
  return list.map((each) => readMessage(asObject(each, 'message'), report));
}

function readMessage(json: JsonObject, report: (violation: string) => void): ListedMessage {
  const id = requiredString(json, 'id');
  const text = readText(json);
  const phoneNumbers = asArray(json.phoneNumbers, 'phoneNumbers').map((each) =>
    requiredString({ each }, 'each'),
  );
  if (id.length > MAX_ID) report(`id of ${id.length} characters: ${id}`);
  if (phoneNumbers.length !== 1) report(`${id} has ${phoneNumbers.length} recipients`);
  if (json.message === undefined || json.textMessage === undefined)
    report(`${id} has not both message and textMessage`);
  if (json.scheduleAt !== undefined) report(`${id} has scheduleAt`);
  for (const name of ['validUntil', 'createdAt']) reportDecimals(json, name, report);
  optionalDate(json, 'createdAt');
  return {
    id,
    text,
    phoneNumbers,
    simNumber: optionalInteger(json, 'simNumber'),
    withDeliveryReport: optionalBoolean(json, 'withDeliveryReport') ?? true,
    isEncrypted: optionalBoolean(json, 'isEncrypted') ?? false,
    priority: optionalInteger(json, 'priority', { least: -128, most: 127 }) ?? 0,
    validUntil: optionalDate(json, 'validUntil'),
    state: optionalEnum(json, 'state', SMS_STATES),
  };
}

function readText(json: JsonObject): string {
  const inner =
    json.textMessage === undefined
      ? undefined
      : requiredString(asObject(json.textMessage, 'textMessage'), 'text');
  const text = inner ?? optionalString(json, 'message');
  if (text === undefined) throw new UnreadableJson('message is missing');
  return text;
}

function reportDecimals(json: JsonObject, name: string, report: (violation: string) => void): void {
  const value = json[name];
  if (typeof value === 'string' && /\.(?!\d{3}[Z+-])/.test(value))
    report(`${name} has not three decimals: ${value}`);
}
