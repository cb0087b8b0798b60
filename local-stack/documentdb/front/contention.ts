import { setTimeout as pause } from 'node:timers/promises';

import { isPassing } from './errors';
import { Turns } from './turns';

/** How long a command is sent again before its client is told: as long as a driver waits for a server. */
const PATIENCE_MS = 30_000;
const MAX_BACKOFF_MS = 100;

/**
 * Sends commands again that others were merely in the way of (deadlock, serialization, a catalog race), on each
 * collection one at a time: sent together, those that have locked each other out would do so again.
 */
export class Contention {
  private readonly turns = new Turns();

  constructor(private readonly patienceMs: number = PATIENCE_MS) {}

  /**
   * Runs a command until nobody is in its way.
   * @param command one SQL statement, so that what failed has left nothing behind.
   */
  async settle<T>(collection: string, command: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.patienceMs;
    try {
      return await command();
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    return this.turns.take(collection, () => again(command, until));
  }
}

async function again<T>(command: () => Promise<T>, until: number): Promise<T> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= until) throw error;
    }
    await pause(Math.random() * MAX_BACKOFF_MS);
  }
}
