import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import type { Queue } from 'bull';
import { failureLine } from '../failure-line';
import { Gathering } from '../gathering';
import type { OptionalRedis } from './optional-redis';
import type { QueueConnections } from './queue-connections';
import { withinLimit } from './within-limit';

export interface WakeUp<Data> {
  /** Two wake-ups with one id are one job. */
  readonly id: string;
  readonly data: Data;
  readonly delayMs: number;
}

/**
 * Wakes workers through Bull. A wake-up is only a hint, the truth is in the database: when Redis does not take
 * it within a second it is dropped, and a sweeper finds the work later.
 */
export class WakeUpQueue<Data> {
  private readonly logger: Logger;
  private readonly gathered = new Gathering(async (asked: readonly (readonly WakeUp<Data>[])[]) => {
    const taken = await this.add(asked.flat());
    return asked.map(() => taken);
  });

  constructor(
    private readonly queue: Queue<Data>,
    connections: QueueConnections,
    private readonly redis: OptionalRedis,
  ) {
    this.logger = new Logger(`Queue ${queue.name}`);
    // Without a listener an outage would end the process. It is logged by the connection itself.
    queue.on('error', () => undefined);
    // What Nest does at the end would wait for Redis, and Redis may be away.
    Object.assign(queue, { onApplicationShutdown: () => close(queue, connections) });
  }

  /** Resolves once Redis can take wake-ups: for the start, so that the first ones are not lost to it. */
  async connected(): Promise<void> {
    if (this.queue.client.status !== 'ready') await withinLimit(once(this.queue.client, 'ready'));
  }

  /** @returns false when Redis did not take them. Never throws. */
  async wake(wakeUps: readonly WakeUp<Data>[]): Promise<boolean> {
    if (wakeUps.length === 0) return true;
    return this.gathered.ask(wakeUps);
  }

  private async add(wakeUps: readonly WakeUp<Data>[]): Promise<boolean> {
    // Bull would wait for a connection first.
    if (this.queue.client.status !== 'ready') return false;
    const taken = await this.redis.ask(() =>
      this.queue
        .addBulk(
          wakeUps.map(({ id, data, delayMs }) => ({
            data,
            // A job that ends must go: one that lingers would swallow the next wake-up with its id.
            opts: { jobId: id, delay: Math.max(0, delayMs), removeOnComplete: true, removeOnFail: true },
          })),
        )
        .then(
          () => true,
          (failure: unknown) => {
            this.logger.warn(`Work waits for the sweeper: ${failureLine(failure)}`);
            return false;
          },
        ),
    );
    return taken ?? false;
  }
}

/**
 * The connections first: what Bull still waits for from them fails, so that it sets no timer when it has cleared its
 * own.
 */
async function close(queue: Queue, connections: QueueConnections): Promise<void> {
  await connections.end();
  // Nothing is left to pause, and Bull would do it over a connection that ioredis may call ready although it has ended.
  queue.pause = () => Promise.resolve();
  await withinLimit(queue.close(true));
}
