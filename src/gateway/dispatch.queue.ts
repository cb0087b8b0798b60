import { Injectable, OnModuleInit } from '@nestjs/common';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { causingRequest } from '../common/log-ids';
import { WakeUpQueue } from '../common/redis/wake-up-queue';
import type { WaveKey } from '../messages/dispatch.repository';

export const DISPATCH_QUEUE = 'dispatch';

/** Ids only: what is to be done is read from the database when the job runs. */
export interface DispatchJob {
  readonly batch: string;
  readonly wave: number;
  /** The request that led to it, for the log; none where a sweeper found it. */
  readonly requestId?: string;
}

export interface DueWave extends WaveKey {
  /** Absent: at once. */
  readonly dueAt?: Date;
}

/** Wakes the dispatch workers for waves. */
@Injectable()
export class DispatchQueue implements OnModuleInit {
  private readonly queue: WakeUpQueue<DispatchJob>;

  constructor(
    @InjectQueue(DISPATCH_QUEUE) queue: Queue<DispatchJob>,
    private readonly clock: Clock,
  ) {
    this.queue = new WakeUpQueue(queue);
  }

  async onModuleInit(): Promise<void> {
    await this.queue.connected();
  }

  /** @returns false when Redis did not take them; the sweeper finds the waves when they are due. */
  wake(waves: readonly DueWave[]): Promise<boolean> {
    const now = this.clock.now().getTime();
    return this.queue.wake(
      waves.map(({ batch, wave, dueAt }) => ({
        // The due time is part of the id: a wave that must wait again is another job than the one that runs.
        id: [batch.toHexString(), wave, ...(dueAt ? [dueAt.getTime()] : [])].join('-'),
        data: { batch: batch.toHexString(), wave, ...causingRequest() },
        delayMs: dueAt ? dueAt.getTime() - now : 0,
      })),
    );
  }

  static waveOf(job: DispatchJob): WaveKey {
    return { batch: new Types.ObjectId(job.batch), wave: job.wave };
  }
}
