import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { DispatchRepository } from '../messages/dispatch.repository';
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
  private readonly logger = new Logger(DispatchScheduler.name);
  private sweeping = false;

  constructor(
    private readonly messages: DispatchRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_EVERY_MS)
  async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    try {
      await this.wakeOverdue();
      await this.giveUpOnSilent();
    } catch (failure) {
      this.logger.error(
        `The sweep failed and is repeated in ${SWEEP_EVERY_MS / 1_000} s: ${String(failure)}`,
      );
    } finally {
      this.sweeping = false;
    }
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
    while ((await this.messages.moveSilentToUnknown(since, now, MOST_SILENT)) === MOST_SILENT);
  }
}
