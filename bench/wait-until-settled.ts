import { setTimeout as sleep } from 'node:timers/promises';
import type { Records } from './records';

const CHECK_INTERVAL_MS = 200;
const TIMEOUT_MS = 60_000;

/**
 * Waits until the worker has finished the work of a row, so that it does not run during the next one.
 * @throws Error after a minute.
 */
export async function waitUntilSettled({ messages, deliveries }: Records): Promise<void> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const pending = await Promise.all([
      messages.findOne({ status: 'pending', nextDispatchAt: { $lte: new Date() } }),
      messages.findOne({ relayDueAt: { $exists: true } }),
      deliveries.findOne({ nextDeliveryAttemptAt: { $exists: true } }),
    ]);
    if (pending.every((document) => document === null)) return;
    if (Date.now() > deadline) throw new Error('The work of the last row was not finished within a minute');
    await sleep(CHECK_INTERVAL_MS);
  }
}
