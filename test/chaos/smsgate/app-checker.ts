import type { SmsState } from '../../support/smsgate/listed-message';
import type { AppEvidence, AppMessageEvidence, AppPhoneEvidence, AppVerdict } from './app-evidence';

/** The status of a message by the last state in the phone. */
const FINAL: Partial<Record<SmsState, string>> = {
  Sent: 'sent',
  Delivered: 'delivered',
  Failed: 'failed',
  Cancelled: 'cancelled',
};

/** Compares what the phones know with what the service knows. */
export function checkApps(evidence: AppEvidence): AppVerdict {
  const { phones, recipients, messages, stored, errors } = evidence;
  const byRecipient = groupBy(messages, ({ recipient = '' }) => recipient);
  const phoneSms = new Map(phones.flatMap(({ sms }) => [...sms]));
  const differing = messages.filter((message) => isDifferent(message, phoneSms.get(message.id)?.state));
  const isLostDelivery = ({ id, status }: AppMessageEvidence) =>
    status === 'sent' && phoneSms.get(id)?.states.Sent !== undefined;
  const describe = ({ id, status }: AppMessageEvidence) =>
    `${id} is ${status ?? 'without status'}, in the phone ${phoneSms.get(id)?.state ?? 'absent'}`;
  const lost = recipients.flatMap((recipient) => {
    const [message] = byRecipient.get(recipient) ?? [];
    if (!message) return [`the message to ${recipient} is not stored`];
    return isSettled(message) ? [] : [`${message.id} stayed ${message.status ?? 'without status'}`];
  });
  const phoneTexts = phones.flatMap(({ device, received }) => received.map((text) => `${device}: ${text}`));
  const storedTexts = stored.map(({ device, text }) => `${device}: ${text}`);
  const isStored = new Set(storedTexts);
  const hasArrived = new Set(phoneTexts);
  return {
    losses: [
      ...lost,
      ...phoneTexts.filter((text) => !isStored.has(text)).map((text) => `not stored: ${text}`),
    ],
    duplicates: [
      ...repeated(phones.flatMap(({ aired }) => aired)).map((id) => `${id} was aired twice`),
      ...repeated(storedTexts).map((text) => `stored twice: ${text}`),
      ...[...byRecipient].flatMap(([recipient, all]) =>
        all.length > 1 ? [`${all.length} messages to ${recipient}`] : [],
      ),
    ],
    wrongStates: differing.filter((message) => !isLostDelivery(message)).map(describe),
    lostDeliveries: differing.filter(isLostDelivery).map(describe),
    otherErrors: [
      ...errors,
      ...phones.flatMap(strayAired(messages)),
      ...phones.flatMap(({ device, violations }) => violations.map((each) => `${device}: ${each}`)),
      ...storedTexts.filter((text) => !hasArrived.has(text)).map((text) => `never arrived: ${text}`),
    ],
  };
}

const isSettled = ({ status = '' }: AppMessageEvidence): boolean =>
  ['sent', 'delivered', 'failed', 'cancelled', 'unknown'].includes(status);

/** `unknown` says nothing, so it never differs. */
function isDifferent({ status }: AppMessageEvidence, state: SmsState | undefined): boolean {
  const expected = state && FINAL[state];
  return status !== 'unknown' && expected !== undefined && expected !== status;
}

const strayAired =
  (messages: readonly AppMessageEvidence[]) =>
  ({ device, aired }: AppPhoneEvidence): string[] => {
    const own = new Set(messages.flatMap((message) => (message.device === device ? message.id : [])));
    return aired
      .filter((id) => !own.has(id))
      .map((id) => `${id} was aired by ${device}, to which it does not belong`);
  };

function repeated(values: readonly string[]): string[] {
  return [...groupBy(values, (value) => value)].flatMap(([value, all]) => (all.length > 1 ? value : []));
}

function groupBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}
