import { setTimeout as pause } from 'node:timers/promises';

import { isTransient } from './errors';
import { KeyedQueue } from './keyed-queue';

/** How long a command is sent again before its client is told: as long as a driver waits for a server. */
const TIMEOUT_MS = 30_000;
const MAX_BACKOFF_MS = 100;

/**
 * Sends commands again that others were merely in the way of (deadlock, serialization, a catalog race), on each
 * collection one at a time: sent together, those that have locked each other out would do so again.
 */
export class ConflictRetry {
  private readonly queue = new KeyedQueue();

  constructor(private readonly timeoutMs: number = TIMEOUT_MS) {}

  /**
   * Runs a command until nobody is in its way.
   * @param command one SQL statement, so that what failed has left nothing behind.
   */
  async run<T>(collection: string, command: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.timeoutMs;
    try {
      return await command();
    } catch (error) {
      if (!isTransient(error)) throw error;
    }
    return this.queue.run(collection, () => again(command, until));
  }
}

async function again<T>(command: () => Promise<T>, until: number): Promise<T> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= until) throw error;
    }
    await pause(Math.random() * MAX_BACKOFF_MS);
  }
}
