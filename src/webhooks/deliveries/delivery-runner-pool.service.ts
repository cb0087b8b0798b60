import { Inject, Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { formatError } from '../../common/format-error';
import { withLogIds } from '../../infrastructure/logging/log-ids';
import { AttemptResults } from './attempt-results.service';
import { DeliveryAttemptsService } from './delivery-attempts.service';
import { DeliveryClaims } from './delivery-claims.service';
import { DeliveryQueue } from './delivery.queue';
import { DeliveryRunner } from './delivery-runner';
import { RunnerLeases } from './runner-leases.service';

export const MAX_RUNNERS = Symbol('MAX_RUNNERS');

/** Delay before another process, which may have capacity, gets the job. */
const RETRY_DELAY_MS = 1_000;

/**
 * Runs delivery runners, one per subscription and at most `maxRunners` per process. When the pool is full,
 * subscriptions wait in a queue and the longest running runner is preempted.
 */
@Injectable()
export class DeliveryRunnerPool {
  private readonly logger = new Logger(DeliveryRunnerPool.name);
  /** By subscription id, in the order of their start. */
  private readonly running = new Map<string, { runner: DeliveryRunner; ended: Promise<void> }>();
  /** Subscriptions that wait for a slot, in order. Another process may have delivered for them meanwhile. */
  private readonly waiting = new Set<string>();
  /** Includes runners that are still acquiring their lease. */
  private usedSlots = 0;
  private isStopping = false;

  constructor(
    @Inject(MAX_RUNNERS) private readonly maxRunners: number,
    private readonly leases: RunnerLeases,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttemptsService,
    private readonly results: AttemptResults,
    private readonly queue: DeliveryQueue,
  ) {}

  /**
   * Ensures that a runner, here or in another process, delivers what is due. When the pool is full, the job is
   * enqueued again.
   */
  async ensureRunning(subscription: Types.ObjectId): Promise<void> {
    if (this.isStopping || this.usedSlots >= this.maxRunners) return this.waitForSlot(subscription);
    this.usedSlots += 1;
    const key = subscription.toHexString();
    this.waiting.delete(key);
    let runner: DeliveryRunner | undefined;
    try {
      runner = await this.acquire(subscription);
    } finally {
      if (!runner) await this.releaseSlot();
    }
    if (runner) this.start(key, runner);
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { runner } of this.running.values()) runner.stop();
    while (this.running.size > 0) await Promise.all([...this.running.values()].map(({ ended }) => ended));
  }

  /** @returns a runner with the lease; undefined when another holds it, or the subscription is not active. */
  private async acquire(subscription: Types.ObjectId): Promise<DeliveryRunner | undefined> {
    const lease = await this.leases.acquire(subscription);
    if (lease === 'held') this.running.get(subscription.toHexString())?.runner.notify();
    if (!lease || lease === 'held') return undefined;
    return new DeliveryRunner(lease, this.leases, this.claims, this.attempts, this.results, this.queue);
  }

  private start(key: string, runner: DeliveryRunner): void {
    const ended = runner
      .run()
      .catch((failure: unknown) => {
        this.logError(key, failure);
      })
      .then(() => this.releaseSlot())
      .finally(() => {
        if (this.running.get(key)?.runner === runner) this.running.delete(key);
      });
    this.running.set(key, { runner, ended });
    if (this.isStopping) runner.stop();
  }

  private async waitForSlot(subscription: Types.ObjectId): Promise<void> {
    const key = subscription.toHexString();
    if (await this.leases.notifyHolder(subscription)) {
      this.running.get(key)?.runner.notify();
      return;
    }
    this.waiting.add(key);
    this.preemptIfNeeded();
    await this.queue.enqueueLater(subscription, RETRY_DELAY_MS);
  }

  /** Stops the longest running runner, unless enough slots will be free soon. */
  private preemptIfNeeded(): void {
    const runners = [...this.running.values()].map(({ runner }) => runner);
    const stopping = runners.filter(({ isStopping }) => isStopping);
    const expectedFreeSlots = this.maxRunners - runners.length + stopping.length;
    if (expectedFreeSlots < this.waiting.size) runners.find(({ isPreemptible }) => isPreemptible)?.stop();
  }

  private async releaseSlot(): Promise<void> {
    this.usedSlots -= 1;
    const [next] = this.waiting;
    if (next === undefined || this.isStopping) return;
    const ensureRunning = () => this.ensureRunning(new Types.ObjectId(next));
    await withLogIds({ webhookSubscriptionId: next }, ensureRunning).catch((failure: unknown) => {
      this.logError(next, failure);
    });
  }

  private logError(key: string, failure: unknown): void {
    this.logger.error(
      `Delivery runner of webhook ${key} failed; the scheduler retries within 10 s: ${formatError(failure)}`,
    );
  }
}
