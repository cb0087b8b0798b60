import type { DeviceResponse, MessageResponse } from '../../../generated';
import { clockAt } from '../../preferences/zoned-time';

export interface Day {
  /** `YYYY-MM-DD` on the clocks of the zone. */
  readonly date: string;
  readonly messages: readonly MessageResponse[];
}

/** Messages by day. @param messages the oldest first. */
export function daysOf(messages: readonly MessageResponse[], timeZone: string): readonly Day[] {
  const days: { date: string; messages: MessageResponse[] }[] = [];
  for (const message of messages) {
    const date = clockAt(new Date(message.createdAt), timeZone).slice(0, 10);
    const last = days.at(-1);
    if (last?.date === date) last.messages.push(message);
    else days.push({ date, messages: [message] });
  }
  return days;
}

export interface ReplySender {
  readonly deviceId?: string;
  readonly simSubscriptionId?: number;
  /** Whether the phone that the number wrote to cannot be used. */
  readonly isReplaced?: true;
}

type Contact = Pick<MessageResponse, 'simSubscriptionId'> & { readonly device: { readonly _id: string } };

/** Where a reply goes out: the phone and SIM of the message, else the default. */
export function replySenderOf(message: Contact | undefined, devices: readonly DeviceResponse[]): ReplySender {
  if (!message) return {};
  const device = devices.find(({ _id }) => _id === message.device._id);
  if (!device?.enabled || device.drainingSince) return { isReplaced: true };
  const { simSubscriptionId: sim } = message;
  const known = device.simInfo?.sims;
  const hasSim = sim !== undefined && (!known || known.some(({ subscriptionId }) => subscriptionId === sim));
  return { deviceId: device._id, ...(hasSim && { simSubscriptionId: sim }) };
}

/** Names such as `BANK` cannot be replied to. */
export const isPhoneNumber = (number: string) => /^\+?\d{3,15}$/.test(number);

interface Reply {
  readonly text: string;
  /** The newest message that was listed before it. */
  readonly after: string | undefined;
  readonly error?: unknown;
}

/**
 * The replies that are not in the list yet, which may have one before the service has answered its send.
 * @param listed the newest first.
 */
export function withoutListed<Sent extends Reply>(
  replies: readonly Sent[],
  listed: readonly Pick<MessageResponse, '_id' | 'direction' | 'message'>[],
): Sent[] {
  const taken = new Set<string>();
  return replies.filter(({ text, after, error }) => {
    if (error !== undefined) return true;
    const known = listed.findIndex(({ _id }) => _id === after);
    const newer = known < 0 ? listed : listed.slice(0, known);
    const found = newer.find(
      ({ _id, direction, message }) => direction === 'sent' && message === text && !taken.has(_id),
    );
    if (found) taken.add(found._id);
    return !found;
  });
}
