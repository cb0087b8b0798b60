import { Inject, Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { withLogIds } from '../common/log-ids';
import { AttemptsService } from './attempts.service';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { DeliveryQueue } from './delivery.queue';
import { DeliveryRunner, LEASE_MS, RunnerTools } from './delivery-runner';
import { Jitter } from './jitter';
import { PausingService } from './pausing.service';
import { RunnerLeasesRepository } from './runner-leases.repository';

/** Subscriptions that one process delivers for at the same time. */
export const MOST_RUNNERS = Symbol('MOST_RUNNERS');

/** How soon a wake-up that found no place comes again: perhaps to another process, which has one. */
const COMES_AGAIN_MS = 1_000;

/**
 * The runners of this process, one a subscription. It has so many places; when they are taken, whoever needs one waits
 * in line, and those who have had theirs longest go to the end of it.
 */
@Injectable()
export class DeliveryRunners {
  private readonly logger = new Logger(DeliveryRunners.name);
  /** In the order in which they began. */
  private readonly running = new Map<string, { runner: DeliveryRunner; ended: Promise<void> }>();
  /** Subscriptions that found no place, in their order. Another process may have seen to one meanwhile. */
  private readonly inLine = new Set<string>();
  /** Places that are taken, also by those whose lease is still asked for. */
  private taken = 0;
  private readonly tools: RunnerTools;
  private isStopping = false;

  constructor(
    @Inject(MOST_RUNNERS) private readonly places: number,
    attempts: AttemptsService,
    deliveries: DeliveriesRepository,
    leases: RunnerLeasesRepository,
    pausing: PausingService,
    queue: DeliveryQueue,
    jitter: Jitter,
    metrics: DeliveryMetrics,
    clock: Clock,
  ) {
    const largeDelivery = { isTaken: false };
    this.tools = { attempts, deliveries, leases, pausing, queue, jitter, metrics, clock, largeDelivery };
  }

  /**
   * Sees to it that somebody delivers what of the subscription is due now: this process, or who is at it already. When
   * there is no place, the wake-up goes back into the queue.
   */
  async wake(subscription: Types.ObjectId): Promise<void> {
    if (this.isStopping || this.taken >= this.places) return this.waitInLine(subscription);
    this.taken += 1;
    const key = subscription.toHexString();
    this.inLine.delete(key);
    let runner: DeliveryRunner | undefined;
    try {
      runner = await this.acquire(subscription);
    } finally {
      if (!runner) await this.leavePlace();
    }
    if (runner) this.start(key, runner);
  }

  /** Finishes what is in flight and begins nothing more. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { runner } of this.running.values()) runner.stop();
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** @returns the runner that is to begin; none when another is at it, or nothing is to be delivered. */
  private async acquire(subscription: Types.ObjectId): Promise<DeliveryRunner | undefined> {
    const { leases, pausing, clock } = this.tools;
    const now = clock.now();
    const runnerId = new Types.ObjectId();
    const until = new Date(now.getTime() + LEASE_MS);
    const acquired = await leases.acquire(subscription, runnerId, now, until);
    if (acquired === 'held') {
      this.running.get(subscription.toHexString())?.runner.wake();
    } else if (acquired) {
      return new DeliveryRunner(acquired, runnerId, this.tools);
    } else {
      // Paused or deleted: whatever waits for it was created while that happened.
      await pausing.abort(subscription);
    }
    return undefined;
  }

  private start(key: string, runner: DeliveryRunner): void {
    const ended = runner
      .run()
      .catch((failure: unknown) => {
        this.leaveToSweeper(key, failure);
      })
      .then(() => this.leavePlace())
      .finally(() => {
        if (this.running.get(key)?.runner === runner) this.running.delete(key);
      });
    this.running.set(key, { runner, ended });
    if (this.isStopping) runner.stop();
  }

  private async waitInLine(subscription: Types.ObjectId): Promise<void> {
    const { leases, queue, clock } = this.tools;
    const key = subscription.toHexString();
    const now = clock.now();
    if (await leases.wakeHolder(subscription, now)) {
      this.running.get(key)?.runner.wake();
      return;
    }
    this.inLine.add(key);
    this.askOneToLeave();
    await queue.wakeAt(subscription, [new Date(now.getTime() + COMES_AGAIN_MS)]);
  }

  /** The one that has had its place longest, unless as many places come free anyway as are waited for. */
  private askOneToLeave(): void {
    const runners = [...this.running.values()].map(({ runner }) => runner);
    const leaving = runners.filter(({ isLeaving }) => isLeaving);
    const comingFree = this.places - runners.length + leaving.length;
    if (comingFree < this.inLine.size) runners.find(({ canLeave }) => canLeave)?.stop();
  }

  /** Hands the place over to the first in line. Never throws. */
  private async leavePlace(): Promise<void> {
    this.taken -= 1;
    const [next] = this.inLine;
    if (next === undefined || this.isStopping) return;
    const wake = () => this.wake(new Types.ObjectId(next));
    await withLogIds({ webhookSubscriptionId: next }, wake).catch((failure: unknown) => {
      this.leaveToSweeper(next, failure);
    });
  }

  private leaveToSweeper(key: string, failure: unknown): void {
    this.logger.error(`Deliveries of webhook ${key} wait for the sweeper: ${failureLine(failure)}`);
  }
}
