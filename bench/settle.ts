import { setTimeout as sleep } from 'node:timers/promises';
import type { Records } from './records';

const CHECK_INTERVAL_MS = 200;
const WITHIN_MS = 60_000;

/**
 * Waits until nothing is due any more: what one row leaves to the worker must not be done during the next.
 * @throws Error when that takes longer than a minute.
 */
export async function settle({ messages, deliveries }: Records): Promise<void> {
  const end = Date.now() + WITHIN_MS;
  for (;;) {
    const found = await Promise.all([
      messages.findOne({ status: 'pending', nextDispatchAt: { $lte: new Date() } }),
      messages.findOne({ relayDueAt: { $exists: true } }),
      deliveries.findOne({ nextDeliveryAttemptAt: { $exists: true } }),
    ]);
    if (found.every((document) => document === null)) return;
    if (Date.now() > end) throw new Error('What the last row left behind is not done within a minute');
    await sleep(CHECK_INTERVAL_MS);
  }
}
