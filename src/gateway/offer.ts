import type { PushTransportName } from '../devices/device.schema';
import type { OfferWindow } from '../messages/messages.repository';

const MINUTE_MS = 60_000;

/** How long a phone is offered what it was handed and has not acknowledged. */
export const OFFER_MS = 72 * 60 * MINUTE_MS;

/** FCM may still be on its way with what was handed over more recently; many phones would send it twice. */
const FCM_QUIET_MS = 30 * MINUTE_MS;

/** The most messages a phone is given when it asks. */
export const MOST_PENDING = 25;

/** What a phone may be offered now: over FCM only what was handed over more than 30 minutes ago. */
export function offerWindow(transport: PushTransportName, now: Date): OfferWindow {
  const quiet = transport === 'fcm' ? FCM_QUIET_MS : 0;
  return { endsAfter: now, endsBy: new Date(now.getTime() + OFFER_MS - quiet) };
}
