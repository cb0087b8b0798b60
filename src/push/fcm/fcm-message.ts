import type { TokenMessage } from 'firebase-admin/messaging';
import type { PushCommand } from '../push-transport';

/** FCM's limit on a message's data: keys and values, in bytes of UTF-8. */
export const MOST_DATA_BYTES = 4_096;

/** How long FCM keeps a message for a phone that is away. */
const SEND_TTL_MS = 72 * 3_600_000;
const PROBE_TTL_MS = 30 * 60_000;

/** What a command travels as; apps in the field read exactly these keys. `cancel` is for streams only. */
function dataOf(command: PushCommand): Record<string, string> {
  return command.kind === 'sms' ? { smsData: JSON.stringify(command.payload) } : { type: command.kind };
}

/** How much of FCM's limit a command takes. */
export function dataBytes(command: PushCommand): number {
  return Object.entries(dataOf(command)).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}

/** The FCM message of a command. A probe replaces one that still waits for the phone. */
export function fcmMessage(token: string, command: PushCommand): TokenMessage {
  const android =
    command.kind === 'sms'
      ? { priority: 'high' as const, ttl: SEND_TTL_MS }
      : { priority: 'high' as const, ttl: PROBE_TTL_MS, collapseKey: command.kind };
  return { token, data: dataOf(command), android };
}
