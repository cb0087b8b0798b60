import { HOUR_MS } from '../../common/durations';
import type { PhoneCapabilities } from '../../devices/store/phone-capabilities';
import type { RedeliveryWindow } from '../../messages/message-redelivery.repository';

/** Between the hand-over of a message and its `redeliverUntil`. */
export const REDELIVERY_WINDOW_MS = 72 * HOUR_MS;

/** Messages in one response to a phone that asks for those it has not acknowledged. */
export const MAX_UNACKNOWLEDGED_MESSAGES = 25;

/** What is redelivered now. */
export function redeliveryWindow(
  { redeliverAfterMs, redeliverForMs }: Pick<PhoneCapabilities, 'redeliverAfterMs' | 'redeliverForMs'>,
  now: Date,
): RedeliveryWindow {
  const untilOf = (ageMs: number) => new Date(now.getTime() + REDELIVERY_WINDOW_MS - ageMs);
  return {
    now,
    handedOverAfter: new Date(now.getTime() - redeliverForMs),
    after: untilOf(redeliverForMs),
    latest: untilOf(redeliverAfterMs),
  };
}
