import { setTimeout as pause } from 'node:timers/promises';

import { isTransient } from './errors';
import { KeyedQueue } from './keyed-queue';

/** The server selection timeout of drivers. */
const TIMEOUT_MS = 30_000;
const MAX_BACKOFF_MS = 100;

/**
 * Retries commands that fail because of concurrent ones (deadlock, serialization failure, catalog race), one at a
 * time per collection, because concurrent retries would conflict again.
 */
export class ConflictRetry {
  private readonly queue = new KeyedQueue();

  constructor(private readonly timeoutMs: number = TIMEOUT_MS) {}

  /** @param command one SQL statement, so that a failed attempt changes nothing. */
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
