import { InjectQueue, Process, Processor } from '@nestjs/bull';
import { BeforeApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bull';
import { JobRunner } from '../../infrastructure/queues/job-runner';
import { Activity } from '../../infrastructure/sweeps/activity.service';
import { OUTBOX_QUEUE } from '../../messages/outbox/outbox.queue';
import { IsolatedRelayService } from './isolated-relay.service';
import { OutboxRelayService } from './outbox-relay.service';

/** Concurrent jobs share runs of the relay, so many cost little more than one. */
const CONCURRENCY = 50;

/** Few messages are relayed in isolation, so most jobs need not look for them. */
const ISOLATED_INTERVAL_MS = 1_000;

@Processor(OUTBOX_QUEUE)
export class OutboxRelayProcessor implements OnModuleDestroy, BeforeApplicationShutdown {
  private readonly jobs: JobRunner;
  private current: Promise<unknown> = Promise.resolve();
  private next?: Promise<void>;
  private isolatedRunAtMs = -Infinity;

  constructor(
    @InjectQueue(OUTBOX_QUEUE) queue: Queue<null>,
    private readonly relay: OutboxRelayService,
    private readonly isolatedRelay: IsolatedRelayService,
    activity: Activity,
  ) {
    this.jobs = new JobRunner(queue, activity);
  }

  @Process({ concurrency: CONCURRENCY })
  run(): Promise<void> {
    return this.jobs.run('Outbox relay', {}, async () => {
      await this.relayNext();
      const now = performance.now();
      if (now - this.isolatedRunAtMs < ISOLATED_INTERVAL_MS) return;
      this.isolatedRunAtMs = now;
      // Not awaited, so that isolated messages delay no job.
      void this.isolatedRelay.run();
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
    await Promise.all([this.jobs.stop(), this.isolatedRelay.stop()]);
    // A job that finished meanwhile may have started another run.
    await this.isolatedRelay.stop();
  }

  /**
   * A run in progress may have queried before the event of this job was stored, so all jobs that arrive during a run
   * share the next one. One run per job would be slower than the jobs arrive.
   */
  private relayNext(): Promise<void> {
    this.next ??= this.current.then(() => {
      this.next = undefined;
      const run = this.relay.relay();
      this.current = run.catch(() => undefined);
      return run;
    });
    return this.next;
  }
}
