import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { JobRunner } from '../common/redis/job-runner';
import { OUTBOX_QUEUE } from '../messages/outbox.queue';
import { LoneRelayService } from './lone-relay.service';
import { RelayService } from './relay.service';

/** Wake-ups in hand at once: they share runs of the relay, so that many cost little more than one. */
const WAKE_UPS_AT_ONCE = 50;

/** Runs the relay when events are raised. */
@Processor(OUTBOX_QUEUE)
export class RelayProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs: JobRunner;
  private underWay: Promise<unknown> = Promise.resolve();
  private next?: Promise<void>;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    private readonly relay: RelayService,
    private readonly lone: LoneRelayService,
  ) {
    this.jobs = new JobRunner(queue);
  }

  @Process({ concurrency: WAKE_UPS_AT_ONCE })
  run(): Promise<void> {
    return this.jobs.run('What was raised', {}, async () => {
      await this.relayNext();
      // Not waited for: what is relayed alone holds up no job.
      void this.lone.run();
    });
  }

  onModuleDestroy(): void {
    this.relay.stop();
    void this.stop();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }

  private async stop(): Promise<void> {
    await Promise.all([this.jobs.stop(), this.lone.stop()]);
    // A job that ended meanwhile may have begun another run.
    await this.lone.stop();
  }

  /**
   * The run under way may have looked before the event of this wake-up stood in the database: all wake-ups that come
   * during it share the one after it. A run for each would fall behind them, and they would pile up in Redis.
   */
  private relayNext(): Promise<void> {
    this.next ??= this.underWay.then(() => {
      this.next = undefined;
      const run = this.relay.relay();
      this.underWay = run.catch(() => undefined);
      return run;
    });
    return this.next;
  }
}
