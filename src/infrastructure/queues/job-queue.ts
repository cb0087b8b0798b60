import { once } from 'node:events';
import { Logger, type OnModuleInit } from '@nestjs/common';
import type { JobId, Queue } from 'bull';
import { Coalescer } from '../../common/coalescer';
import { formatError } from '../../common/format-error';
import { tryWithTimeout } from '../../common/try-with-timeout';
import type { RedisCircuitBreaker } from '../redis/redis-circuit-breaker';
import type { QueueConnections } from './queue-connections';

export interface QueuedJob<Data> {
  /** A job whose id is already queued is not queued again. */
  readonly id: string;
  readonly data: Data;
  readonly delayMs: number;
}

/**
 * A Bull queue whose jobs may be lost: the work is stored in the database, and a scheduler finds work without a job when it is
 * overdue. A caller waits for Redis for little more than a second; a job that Redis confirms later still runs.
 */
export abstract class JobQueue<Data> implements OnModuleInit {
  private readonly logger: Logger;
  private readonly coalescer = new Coalescer(async (batch: readonly (readonly QueuedJob<Data>[])[]) => {
    const isEnqueued = await this.addBulk(batch.flat());
    return batch.map(() => isEnqueued);
  });

  constructor(
    private readonly queue: Queue<Data>,
    connections: QueueConnections,
    private readonly redis: RedisCircuitBreaker,
  ) {
    this.logger = new Logger(`Queue ${queue.name}`);
    // Without a listener an outage would end the process; the Redis connection logs it.
    queue.on('error', () => undefined);
    Object.assign(queue, {
      ...withoutRejectionsOnStop(queue as WorkingQueue, connections),
      // Replaces the hook of @nestjs/bull, which waits for Redis.
      onApplicationShutdown: () => close(queue, connections),
    });
  }

  /** Waits, for at most a second, until the queue is connected, so that the first jobs are not dropped. */
  async onModuleInit(): Promise<void> {
    if (this.queue.client.status !== 'ready') await tryWithTimeout(once(this.queue.client, 'ready'));
  }

  /** @returns false unless Redis has confirmed the jobs. Never throws. */
  protected async addJobs(jobs: readonly QueuedJob<Data>[]): Promise<boolean> {
    if (jobs.length === 0) return true;
    return this.coalescer.submit(jobs);
  }

  private async addBulk(jobs: readonly QueuedJob<Data>[]): Promise<boolean> {
    // Bull would wait for a connection.
    if (this.queue.client.status !== 'ready') return false;
    // Bull has a connection of its own, but to the same server: while that does not respond, nobody waits for it here either.
    const isEnqueued = await this.redis.run(this.queue.toKey(''), () =>
      this.queue
        .addBulk(
          jobs.map(({ id, data, delayMs }) => ({
            data,
            // A finished job must be removed: Bull would ignore the next job with its id.
            opts: { jobId: id, delay: Math.max(0, delayMs), removeOnComplete: true, removeOnFail: true },
          })),
        )
        // Bull does not report a job that Redis refuses, for example because its memory is full: the job then has no id.
        .then((added) => {
          const refused = added.filter(({ id }) => (id as JobId | undefined) === undefined);
          if (refused.length > 0) this.warn(refused.length, 'Redis refused them');
          return refused.length === 0;
        })
        .catch((failure: unknown) => {
          this.warn(jobs.length, formatError(failure));
          return false;
        }),
    );
    return isEnqueued ?? false;
  }

  private warn(count: number, reason: string): void {
    this.logger.warn(`${count} jobs were not queued; the scheduler does their work: ${reason}`);
  }
}

/** A queue with the methods that start its work. */
interface WorkingQueue {
  process(...args: readonly unknown[]): Promise<void>;
  /** Called by `process`. */
  setWorkerName(): Promise<void>;
  isPaused(isLocal: true): Promise<boolean>;
}

/**
 * The methods whose promises Bull and @nestjs/bull leave unhandled: they reject if the process stops, and so pauses the queue
 * and closes its connections, before Redis has answered.
 */
function withoutRejectionsOnStop(
  queue: WorkingQueue,
  connections: QueueConnections,
): Pick<WorkingQueue, 'process' | 'setWorkerName'> {
  const ignoreOnStop = async (failure: unknown) => {
    if (!connections.isClosing && !(await queue.isPaused(true))) throw failure;
  };
  const process = queue.process.bind(queue);
  const setWorkerName = queue.setWorkerName.bind(queue);
  return {
    process: (...args) => process(...args).catch(ignoreOnStop),
    setWorkerName: () => setWorkerName().catch(ignoreOnStop),
  };
}

/** Closes the connections first, so that Bull's pending calls fail before it clears its timers. */
async function close(queue: Queue, connections: QueueConnections): Promise<void> {
  await connections.close();
  // Bull would pause over a connection whose status can be `ready` although it has ended.
  queue.pause = () => Promise.resolve();
  await tryWithTimeout(queue.close(true));
}
