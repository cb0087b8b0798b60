import { BeforeApplicationShutdown, Injectable, Logger, OnModuleDestroy } from '@nestjs/common';
import { formatError } from '../../common/format-error';
import { DispatchQueue } from '../waves/dispatch.queue';
import type { WaveKey } from '../waves/wave-key';
import { WaveDispatcher } from './wave-dispatcher.service';

/** Waves that one call dispatches in parallel. */
const WAVE_CONCURRENCY = 10;

/** Takes up due waves without a job: enqueues them for the workers; dispatches them here while Redis is down, or if asked to. */
@Injectable()
export class DueWaves implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger(DueWaves.name);
  private isStopping = false;
  private running = Promise.resolve();

  constructor(
    private readonly queue: DispatchQueue,
    private readonly dispatcher: WaveDispatcher,
  ) {}

  /** Safe while a worker dispatches the same wave: each message is claimed once. Returns when they are enqueued, or dispatched. */
  enqueueOrDispatch(waves: readonly WaveKey[]): Promise<void> {
    return this.track(this.enqueueElseDispatch(waves));
  }

  /** Dispatches waves in this process. */
  dispatch(waves: readonly WaveKey[]): Promise<void> {
    return this.track(this.dispatchAll(waves));
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Waits for pushes in progress: an interrupted push is never repeated, because it may have arrived. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.running;
  }

  private track(run: Promise<void>): Promise<void> {
    this.running = Promise.allSettled([this.running, run]).then(() => undefined);
    return run;
  }

  private async enqueueElseDispatch(waves: readonly WaveKey[]): Promise<void> {
    if (waves.length === 0 || (await this.queue.enqueue(waves))) return;
    await this.dispatchAll(waves);
  }

  private async dispatchAll(waves: readonly WaveKey[]): Promise<void> {
    for (let first = 0; first < waves.length && !this.isStopping; first += WAVE_CONCURRENCY) {
      await Promise.all(waves.slice(first, first + WAVE_CONCURRENCY).map((key) => this.dispatchNow(key)));
    }
  }

  private async dispatchNow(key: WaveKey): Promise<void> {
    try {
      await this.dispatcher.dispatchWave(key);
    } catch (failure) {
      this.logger.error(
        `Wave ${key.wave} of batch ${key.batch.toHexString()} failed; the scheduler retries it: ${formatError(failure)}`,
      );
    }
  }
}
