import { HOUR_MS, MINUTE_MS } from '../../common/durations';
import type { PushTransportName } from '../../devices/device.schema';
import type { RedeliveryWindow } from '../../messages/messages.repository';

/** How long a pushed message is redelivered until the phone acknowledges it. */
export const REDELIVERY_WINDOW_MS = 72 * HOUR_MS;

/** FCM may still deliver a message that was pushed more recently, and many phones would send it twice. */
const FCM_REDELIVERY_DELAY_MS = 30 * MINUTE_MS;

/** Messages in one response to a phone that asks for those it has not acknowledged. */
export const MAX_UNACKNOWLEDGED_MESSAGES = 25;

/** What is redelivered now: all that is offered, but over FCM only what was pushed 30 minutes ago or earlier. */
export function redeliveryWindow(transport: PushTransportName, now: Date): RedeliveryWindow {
  const delayMs = transport === 'fcm' ? FCM_REDELIVERY_DELAY_MS : 0;
  return { now, latestOfferUntil: new Date(now.getTime() + REDELIVERY_WINDOW_MS - delayMs) };
}
