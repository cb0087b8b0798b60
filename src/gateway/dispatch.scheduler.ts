import { BeforeApplicationShutdown, Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { Sweep } from '../common/sweep';
import { DispatchRepository, type WaveKey } from '../messages/dispatch.repository';
import { DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';
import { UnconfirmedService } from './unconfirmed.service';

const SWEEP_EVERY_MS = 5_000;

/** Messages that were due this long ago and are pending still have lost their job. */
const OVERDUE_MS = 5_000;
const MOST_OVERDUE = 5_000;

/** Waves dispatched together while Redis is away. */
const WAVES_AT_ONCE = 10;

/** Finds what Redis has forgotten, and what phones never answered. Safe to run in every process at once. */
@Injectable()
export class DispatchScheduler implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatchScheduler.name);
  private isStopping = false;
  private inHand = Promise.resolve();
  private readonly sweeping = new Sweep(DispatchScheduler.name);

  constructor(
    private readonly messages: DispatchRepository,
    private readonly queue: DispatchQueue,
    private readonly dispatch: DispatchService,
    private readonly unconfirmed: UnconfirmedService,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    const run = this.sweeping.run(async () => {
      await this.dispatchOverdue();
      await this.unconfirmed.endSilent();
      await this.unconfirmed.endDeleted();
    });
    this.inHand = Promise.all([this.inHand, run]).then(() => undefined);
    return run;
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** A push that were cut off would be in doubt, and never be repeated. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.inHand;
  }

  /**
   * Queues jobs for waves that are overdue; while Redis takes none it dispatches them itself. Both are safe beside a
   * worker that has the wave in hand: each message is claimed once. The jobs have ids of their own, because one that a
   * dead worker left behind would swallow another with its id; a wave whose first job still waits gets one job more,
   * however often it is found.
   */
  async dispatchOverdue(): Promise<void> {
    const since = new Date(this.clock.now().getTime() - OVERDUE_MS);
    const waves = await this.messages.listOverdueWaves(since, MOST_OVERDUE);
    if (await this.queue.wake(waves)) return;
    for (let first = 0; first < waves.length && !this.isStopping; first += WAVES_AT_ONCE) {
      await Promise.all(waves.slice(first, first + WAVES_AT_ONCE).map((wave) => this.dispatchNow(wave)));
    }
  }

  private async dispatchNow(wave: WaveKey): Promise<void> {
    try {
      await this.dispatch.dispatchWave(wave);
    } catch (failure) {
      this.logger.error(
        `Wave ${wave.wave} of batch ${wave.batch.toHexString()} is dispatched later: ${failureLine(failure)}`,
      );
    }
  }
}
