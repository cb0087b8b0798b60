import type { SendSmsRequest } from '../../../generated';
import type { FieldError } from '../../api/client';
import { instantOf } from '../../preferences/zoned-time';

/** What the form holds. */
export interface SendValues {
  readonly recipients: string[];
  readonly text: string;
  /** Empty for the default, else `device:ID`, `pool:ID`, or `sim:ID of its device:subscription id`. */
  readonly sender: string;
  readonly isLater: boolean;
  /** `YYYY-MM-DDTHH:mm` in `zone`. */
  readonly clock: string;
  readonly zone: string;
  readonly isUrgent: boolean;
  /** Seconds; empty for no limit. */
  readonly validFor: string;
  readonly keepsQuiet: boolean;
  readonly quietFrom: string;
  readonly quietTo: string;
  /** Declared, because a recipient is blocked. */
  readonly isTransactional: boolean;
}

/** The request that a filled form makes. */
export function requestOf(values: SendValues): SendSmsRequest {
  const { recipients, text, isLater, clock, zone, isUrgent, validFor, keepsQuiet } = values;
  return {
    message: text,
    recipients,
    ...senderOf(values.sender),
    // What is no time is refused by the service, which says why.
    ...(isLater && { scheduledAt: instantOf(clock, zone)?.toISOString() ?? clock }),
    ...(isUrgent && { priority: 'urgent' }),
    ...(validFor !== '' && { validForSeconds: Number(validFor) }),
    ...(values.isTransactional && { purpose: 'transactional' }),
    ...(keepsQuiet && { quietHours: { from: values.quietFrom, to: values.quietTo } }),
  };
}

function senderOf(sender: string): Pick<SendSmsRequest, 'deviceId' | 'poolId' | 'simSubscriptionId'> {
  const [kind, id, subscriptionId] = sender.split(':');
  if (kind === 'pool') return { poolId: id };
  if (kind === 'device') return { deviceId: id };
  return kind === 'sim' ? { deviceId: id, simSubscriptionId: Number(subscriptionId) } : {};
}

export interface BadRecipient {
  /** From 0. */
  readonly index: number;
  readonly message: string;
}

/** The errors of a request, by the part of the form that shows them. */
export interface SendErrors {
  readonly badRecipients: readonly BadRecipient[];
  readonly recipients?: string;
  readonly text?: string;
  readonly sender?: string;
  readonly schedule?: string;
  readonly options?: string;
  /** Those that no field shows. */
  readonly others: readonly string[];
}

const PLACES: readonly (readonly [RegExp, Exclude<keyof SendErrors, 'badRecipients' | 'others'>])[] = [
  [/^(recipients|receivers)$/, 'recipients'],
  [/^(message|smsBody)$/, 'text'],
  [/^(deviceId|poolId|simSubscriptionId)$/, 'sender'],
  [/^scheduledAt$/, 'schedule'],
  [/^(validForSeconds|validUntil|priority|quietHours(\..*)?)$/, 'options'],
];

export function sortErrors(details: readonly FieldError[]): SendErrors {
  const badRecipients: BadRecipient[] = [];
  const others: string[] = [];
  const placed: Partial<Record<(typeof PLACES)[number][1], string>> = {};
  for (const { field, message } of details) {
    const index = /^recipients\.(\d+)$/.exec(field)?.[1];
    const place = PLACES.find(([pattern]) => pattern.test(field))?.[1];
    if (index !== undefined)
      badRecipients.push({ index: Number(index), message: message.replace(`${field} `, '') });
    else if (place) placed[place] = [placed[place], message].filter(Boolean).join('; ');
    else others.push(message);
  }
  return { ...placed, badRecipients, others };
}

/** The numbers of `?to=`, which is one or several with commas or lines between them. */
export function numbersOf(to: unknown): string[] {
  if (to === undefined || to === null) return [];
  return (
    [to]
      .flat()
      .map(String)
      // A plus begins a number, whatever stands before it: "+44… and +44…".
      .flatMap((text) => text.split(/[,;\n]|(?<=\d)[^\d+]*(?=\+)/))
      .map((text) => text.trim())
      .filter((text) => text !== '')
  );
}

/** The first of what looks like a field to be filled for each recipient, such as `{{name}}` or `{name}`. */
export const fieldOf = (text: string): string | undefined =>
  /\{\{\s*\p{L}[^{}\n]{0,40}\}\}|\{\s*\p{L}[^{}\n]{0,40}\}/u.exec(text)?.[0];

/** The text of `?text=`, which the router may have read as a number. */
export const textOf = (text: unknown): string =>
  typeof text === 'string' || typeof text === 'number' || typeof text === 'boolean' ? String(text) : '';
