import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { Sweep } from '../common/sweep';
import { DispatchRepository } from '../messages/dispatch.repository';
import { MessageMetrics } from '../messages/message.metrics';
import { DispatchQueue } from './dispatch.queue';

const SWEEP_EVERY_MS = 5_000;

/** Messages that were due this long ago and are pending still have lost their job. */
const OVERDUE_MS = 5_000;
const MOST_OVERDUE = 5_000;

const SILENCE_MS = 24 * 3_600_000;
const MOST_SILENT = 1_000;

/** Finds what Redis has forgotten, and what phones never answered. Safe to run in every process at once. */
@Injectable()
export class DispatchScheduler {
  private readonly sweeping = new Sweep(DispatchScheduler.name);

  constructor(
    private readonly messages: DispatchRepository,
    private readonly queue: DispatchQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.wakeOverdue();
      await this.giveUpOnSilent();
    });
  }

  /** Wakes the workers for due messages without a job; a wave that has one is not woken twice. */
  async wakeOverdue(): Promise<void> {
    const since = new Date(this.clock.now().getTime() - OVERDUE_MS);
    await this.queue.wake(await this.messages.listOverdueWaves(since, MOST_OVERDUE));
  }

  /** `dispatched` without a word for a day becomes `unknown`; a later report still moves it on. */
  async giveUpOnSilent(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - SILENCE_MS);
    let moved: number;
    do {
      moved = await this.messages.moveSilentToUnknown(since, now, MOST_SILENT);
      this.metrics.count('unknown', moved);
    } while (moved === MOST_SILENT);
  }
}
