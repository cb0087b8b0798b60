import { Injectable, OnModuleInit } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { Gathering } from '../common/gathering';
import { causingRequest } from '../common/log-ids';
import { WakeUp, WakeUpQueue } from '../common/redis/wake-up-queue';
import { OptionalRedis } from '../common/redis/optional-redis';
import { QueueConnections } from '../common/redis/queue-connections';
import type { WaveKey } from '../messages/dispatch.repository';

export const DISPATCH_QUEUE = 'dispatch';

/** Waves of one job. */
const MOST_WAVES = 20;

/** Ids only: what is to be done is read from the database when the job runs. */
export interface WaveJob {
  readonly batch: string;
  readonly wave: number;
  /** The request that led to it, for the log; none where a sweeper found it. */
  readonly requestId?: string;
}

export type DispatchJob = readonly WaveJob[];

export interface DueWave extends WaveKey {
  /** Absent: at once. */
  readonly dueAt?: Date;
}

/** Wakes the dispatch workers for waves. */
@Injectable()
export class DispatchQueue implements OnModuleInit {
  private readonly queue: WakeUpQueue<DispatchJob>;

  // What is sent at the same time is one job.
  private readonly due = new Gathering(async (waves: readonly WaveJob[]) => {
    const taken = await this.queue.wake([
      { id: new Types.ObjectId().toHexString(), data: waves, delayMs: 0 },
    ]);
    return waves.map(() => taken);
  }, MOST_WAVES);

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    connections: QueueConnections,
    redis: OptionalRedis,
    private readonly clock: Clock,
  ) {
    this.queue = new WakeUpQueue(queue, connections, redis);
  }

  async onModuleInit(): Promise<void> {
    await this.queue.connected();
  }

  /**
   * For waves that have no job yet.
   * @returns false when Redis did not take them; the scheduler finds the waves when they are due.
   */
  async wakeFirst(waves: readonly DueWave[]): Promise<boolean> {
    const taken = await Promise.all([
      ...waves.filter(({ dueAt }) => !dueAt).map((wave) => this.due.ask(toJob(wave))),
      this.wake(waves.filter(({ dueAt }) => dueAt)),
    ]);
    return taken.every(Boolean);
  }

  /** The same for any waves: one that was queued here with the same due time, and still waits, is not queued again. */
  wake(waves: readonly DueWave[]): Promise<boolean> {
    const now = this.clock.now().getTime();
    return this.queue.wake(
      waves.map(({ dueAt, ...wave }): WakeUp<DispatchJob> => ({
        // The due time is part of the id: a wave that must wait again is another job than the one that runs.
        id: [wave.batch.toHexString(), wave.wave, ...(dueAt ? [dueAt.getTime()] : [])].join('-'),
        data: [toJob(wave)],
        delayMs: dueAt ? dueAt.getTime() - now : 0,
      })),
    );
  }

  static waveOf({ batch, wave }: WaveJob): WaveKey {
    return { batch: new Types.ObjectId(batch), wave };
  }
}

const toJob = ({ batch, wave }: WaveKey): WaveJob => ({
  batch: batch.toHexString(),
  wave,
  ...causingRequest(),
});
