import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../common/durations';

/** How often the app calls without being woken, and posts its state: the heartbeat of these phones. */
export const PING_INTERVAL_MS = 10 * MINUTE_MS;

/** The app forgets messages after this time; those that it has not reported are never listed for as long. */
const LOG_LIFETIME_MS = 30 * DAY_MS;

/** What the app takes over from the service. Its own pace is off, because the service keeps that of each SIM. */
export const appSettings = (signingKey: string) => ({
  gateway: { notification_channel: 'SSE_ONLY' },
  messages: {
    processing_order: 'FIFO',
    limit_period: 'Disabled',
    log_lifetime_days: LOG_LIFETIME_MS / DAY_MS,
  },
  ping: { interval_seconds: PING_INTERVAL_MS / SECOND_MS },
  webhooks: { signing_key: signingKey, retry_count: 15, internet_required: false },
});
