import { Injectable } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { Coalescer } from '../../common/coalescer';
import { requestContext } from '../../infrastructure/logging/log-ids';
import { QueuedJob, JobQueue } from '../../infrastructure/queues/job-queue';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { QueueConnections } from '../../infrastructure/queues/queue-connections';
import type { WaveKey, WaveToEnqueue } from './wave-key';

export const DISPATCH_QUEUE = 'dispatch';

const MAX_WAVES_PER_JOB = 20;

/** Holds ids only: the job loads the messages when it runs. */
export interface QueuedWave {
  /** The account of the batch; absent on jobs of 1.0.0 and before. */
  readonly user?: string;
  readonly batch: string;
  readonly wave: number;
  /** The request that caused the job, for the log; absent on jobs of the scheduler. */
  readonly requestId?: string;
}

export type DispatchJob = readonly QueuedWave[];

@Injectable()
export class DispatchQueue extends JobQueue<DispatchJob> {
  private readonly immediateCoalescer = new Coalescer(
    async (waves: readonly QueuedWave[]) => {
      const isEnqueued = await this.addJobs([
        { id: new Types.ObjectId().toHexString(), data: waves, delayMs: 0 },
      ]);
      return waves.map(() => isEnqueued);
    },
    { maxGroupSize: MAX_WAVES_PER_JOB },
  );

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    connections: QueueConnections,
    redis: RedisCircuitBreaker,
    private readonly clock: Clock,
  ) {
    super(queue, connections, redis);
  }

  /**
   * Enqueues waves of a send that was just accepted. Waves that are due immediately share jobs with those of concurrent
   * sends. If Redis does not accept them, `DispatchScheduler` finds the waves when they are overdue.
   */
  async enqueueAccepted(waves: readonly WaveToEnqueue[]): Promise<void> {
    await Promise.all([
      ...waves
        .filter(({ dueAt }) => !dueAt)
        .map((wave) => this.immediateCoalescer.submit(toQueuedWave(wave))),
      this.enqueue(waves.filter(({ dueAt }) => dueAt)),
    ]);
  }

  /**
   * Enqueues each wave, unless a job that this method enqueued for the same wave and due time is still queued.
   * @returns false unless Redis has confirmed them.
   */
  enqueue(waves: readonly WaveToEnqueue[]): Promise<boolean> {
    const now = this.clock.now().getTime();
    return this.addJobs(
      waves.map(({ dueAt, ...wave }): QueuedJob<DispatchJob> => ({
        // The id includes the due time, so that a running job can enqueue its own retry: Bull ignores a known id.
        id: [wave.batch.toHexString(), wave.wave, ...(dueAt ? [dueAt.getTime()] : [])].join('-'),
        data: [toQueuedWave(wave)],
        delayMs: dueAt ? dueAt.getTime() - now : 0,
      })),
    );
  }
}

export const toWaveKey = ({ batch, wave }: QueuedWave, user: Types.ObjectId): WaveKey => ({
  user,
  batch: new Types.ObjectId(batch),
  wave,
});

const toQueuedWave = ({ user, batch, wave }: WaveKey): QueuedWave => ({
  user: user.toHexString(),
  batch: batch.toHexString(),
  wave,
  ...requestContext(),
});
