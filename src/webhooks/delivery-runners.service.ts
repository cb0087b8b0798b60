import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { AttemptsService } from './attempts.service';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryQueue } from './delivery.queue';
import { DeliveryRunner, LEASE_MS, RunnerTools } from './delivery-runner';
import { Jitter } from './jitter';
import { PausingService } from './pausing.service';
import { RunnerLeasesRepository } from './runner-leases.repository';

/** Subscriptions that one process delivers for at the same time; more wait for the sweeper, or another process. */
const MOST_RUNNERS = 250;

/** The runners of this process, one a subscription. */
@Injectable()
export class DeliveryRunners {
  private readonly logger = new Logger(DeliveryRunners.name);
  private readonly running = new Map<string, { runner: DeliveryRunner; ended: Promise<void> }>();
  private readonly tools: RunnerTools;
  private isStopping = false;

  constructor(
    attempts: AttemptsService,
    deliveries: DeliveriesRepository,
    leases: RunnerLeasesRepository,
    pausing: PausingService,
    queue: DeliveryQueue,
    jitter: Jitter,
    metrics: DeliveryMetrics,
    clock: Clock,
  ) {
    this.tools = { attempts, deliveries, leases, pausing, queue, jitter, metrics, clock };
  }

  /** Sees to it that somebody delivers what of the subscription is due now: this process, or who is at it already. */
  async wake(subscription: Types.ObjectId): Promise<void> {
    if (this.isStopping || this.running.size >= MOST_RUNNERS) return;
    const key = subscription.toHexString();
    const now = this.tools.clock.now();
    const runnerId = new Types.ObjectId();
    const until = new Date(now.getTime() + LEASE_MS);
    const acquired = await this.tools.leases.acquire(subscription, runnerId, now, until);
    if (acquired === 'held') {
      this.running.get(key)?.runner.wake();
    } else if (acquired) {
      this.start(key, new DeliveryRunner(acquired, runnerId, this.tools));
    } else {
      // Paused or deleted: whatever waits for it was created while that happened.
      await this.tools.pausing.abort(subscription);
    }
  }

  /** Finishes what is in flight and begins nothing more. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { runner } of this.running.values()) runner.stop();
    await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  private start(key: string, runner: DeliveryRunner): void {
    const ended = runner
      .run()
      .catch((failure: unknown) => {
        this.logger.error(`Deliveries of webhook ${key} wait for the sweeper: ${failureLine(failure)}`);
      })
      .finally(() => {
        if (this.running.get(key)?.runner === runner) this.running.delete(key);
      });
    this.running.set(key, { runner, ended });
    if (this.isStopping) runner.stop();
  }
}
