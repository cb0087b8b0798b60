import type { PushTransportName } from '../../devices/device.schema';
import type { RedeliveryWindow } from '../../messages/messages.repository';

const MINUTE_MS = 60_000;

/** How long a pushed message is redelivered until the phone acknowledges it. */
export const REDELIVERY_WINDOW_MS = 72 * 60 * MINUTE_MS;

/** FCM may still be delivering a more recent message, and many phones would send it twice. */
const FCM_REDELIVERY_DELAY_MS = 30 * MINUTE_MS;

export const MAX_PENDING_MESSAGES = 25;

/** The range of redelivery deadlines that are redelivered now; over FCM only messages pushed 30 minutes ago or earlier. */
export function redeliveryWindow(transport: PushTransportName, now: Date): RedeliveryWindow {
  const delayMs = transport === 'fcm' ? FCM_REDELIVERY_DELAY_MS : 0;
  return { endsAfter: now, endsBy: new Date(now.getTime() + REDELIVERY_WINDOW_MS - delayMs) };
}
