import { BeforeApplicationShutdown, Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { DispatchRepository, type WaveKey } from './dispatch.repository';
import { DispatchQueue } from './dispatch.queue';
import { DispatchService } from './dispatch.service';

const SWEEP_INTERVAL_MS = 5_000;

/** Waves are overdue if messages are still pending, or wait to move to another SIM, this long after their due time. */
const OVERDUE_MS = 5_000;
const MAX_OVERDUE_MESSAGES = 5_000;

/** Waves that the scheduler itself dispatches in parallel, while Redis is down. */
const WAVE_CONCURRENCY = 10;

/** Enqueues overdue waves, or dispatches them itself while Redis is down. Safe to run in several processes. */
@Injectable()
export class DispatchScheduler implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(DispatchScheduler.name);
  private isStopping = false;
  private running = Promise.resolve();
  private readonly sweeping = new NonOverlappingJob(DispatchScheduler.name);

  constructor(
    private readonly messages: DispatchRepository,
    private readonly queue: DispatchQueue,
    private readonly dispatch: DispatchService,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    if (this.isStopping) return Promise.resolve();
    const run = this.sweeping.run(() => this.dispatchOverdue());
    this.running = Promise.all([this.running, run]).then(() => undefined);
    return run;
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Waits for pushes in progress: an interrupted push is never repeated, because it may have arrived. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** Safe while a worker dispatches the same wave: each message is claimed once. */
  async dispatchOverdue(): Promise<void> {
    const since = new Date(this.clock.now().getTime() - OVERDUE_MS);
    const waves = [
      ...(await this.messages.listOverdueWaves(since, MAX_OVERDUE_MESSAGES)),
      ...(await this.messages.listOverdueMoves(since, MAX_OVERDUE_MESSAGES)),
    ];
    if (await this.queue.enqueue(waves)) return;
    for (let first = 0; first < waves.length && !this.isStopping; first += WAVE_CONCURRENCY) {
      await Promise.all(waves.slice(first, first + WAVE_CONCURRENCY).map((key) => this.dispatchNow(key)));
    }
  }

  private async dispatchNow(key: WaveKey): Promise<void> {
    try {
      await this.dispatch.dispatchWave(key);
    } catch (failure) {
      this.logger.error(
        `Wave ${key.wave} of batch ${key.batch.toHexString()} failed; the scheduler retries it: ${formatError(failure)}`,
      );
    }
  }
}
