import type { TokenMessage } from 'firebase-admin/messaging';
import type { PushCommand } from '../transport/push-transport';
import { DAY_MS, MINUTE_MS } from '../../common/durations';

/** FCM's limit for the keys and values of a message's data, in UTF-8. */
export const MAX_DATA_BYTES = 4_096;

const SMS_TTL_MS = 3 * DAY_MS;
const HEARTBEAT_CHECK_TTL_MS = 30 * MINUTE_MS;

/** Released apps read exactly these keys. The gateway sends `cancel` to streams only. */
function dataOf(command: PushCommand): Record<string, string> {
  return command.kind === 'sms' ? { smsData: JSON.stringify(command.payload) } : { type: command.kind };
}

export function dataBytes(command: PushCommand): number {
  return Object.entries(dataOf(command)).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}

/** The FCM message of a command, kept until a message is no longer valid. A heartbeat check replaces an undelivered one. */
export function fcmMessage(token: string, command: PushCommand, now: Date): TokenMessage {
  const android =
    command.kind === 'sms'
      ? { priority: 'high' as const, ttl: smsTtlMs(command.validUntil, now) }
      : { priority: 'high' as const, ttl: HEARTBEAT_CHECK_TTL_MS, collapseKey: command.kind };
  return { token, data: dataOf(command), android };
}

/** 0: FCM delivers it at once or not at all. */
function smsTtlMs(validUntil: Date | undefined, now: Date): number {
  if (!validUntil) return SMS_TTL_MS;
  return Math.min(SMS_TTL_MS, Math.max(0, validUntil.getTime() - now.getTime()));
}
