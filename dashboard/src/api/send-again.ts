import type { DeviceResponse, MessageResponse } from '../../generated';

type Phone = Pick<
  DeviceResponse,
  '_id' | 'enabled' | 'drainingSince' | 'connection' | 'health' | 'isVirtual'
>;
type Sent = Pick<MessageResponse, 'pool' | 'device' | 'recipient' | 'message'>;

const isUsable = ({ enabled, drainingSince, connection }: Phone): boolean =>
  enabled && drainingSince === undefined && connection.state === 'online';

/**
 * The phone from which a message cannot be sent again now.
 * @returns undefined if it can, or if a pool or the default sends it.
 */
export const blockedPhoneOf = <Any extends Phone>(
  { pool, device }: Sent,
  phones: readonly Any[],
): Any | undefined => {
  const phone = pool === undefined ? phones.find(({ _id }) => _id === device._id) : undefined;
  return phone && !isUsable(phone) ? phone : undefined;
};

/** The form of the send page that repeats a message: from another phone if its own cannot send it now, and saying so. */
export function sendAgainSearch(message: Sent, phones: readonly Phone[]): Record<string, string | undefined> {
  const { recipient: to, message: text } = message;
  const blocked = blockedPhoneOf(message, phones);
  if (!blocked) return { to, text };
  const others = phones.filter((phone) => isUsable(phone) && phone.isVirtual === blocked.isVirtual);
  const other = others.find(({ health }) => health.state === 'ok') ?? others[0];
  return { to, text, insteadOf: blocked._id, ...(other && { from: `device:${other._id}` }) };
}
