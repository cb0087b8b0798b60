import { Inject, Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { formatError } from '../../common/format-error';
import { withLogIds } from '../../infrastructure/logging/log-ids';
import { DeliveryQueue } from './delivery.queue';
import type { DeliveryRunner } from './delivery-runner';
import { DeliveryRunnerFactory } from './delivery-runner.factory';
import { LocalRunners } from './local-runners';
import { RunnerLeases } from './runner-leases.service';

export const MAX_RUNNERS = Symbol('MAX_RUNNERS');

/** Delay before another process, which may have capacity, gets the job; and before a failed runner is replaced. */
const RETRY_DELAY_MS = 1_000;

/** How often runners look for notifications of other processes, which have stored due deliveries. */
const NOTIFICATION_INTERVAL_MS = 200;

/**
 * Runs delivery runners, one per subscription and at most `maxRunners` per process. When the pool is full,
 * subscriptions wait in a queue, and a runner that is idle or has had its turn is preempted.
 */
@Injectable()
export class DeliveryRunnerPool {
  private readonly logger = new Logger(DeliveryRunnerPool.name);
  private readonly ends = new Map<DeliveryRunner, Promise<void>>();
  /** Subscriptions that wait for a slot, in order. Another process may have delivered for them meanwhile. */
  private readonly waiting = new Set<string>();
  /** Includes runners that are still acquiring their lease. */
  private usedSlots = 0;
  private isStopping = false;
  private notificationTimer?: NodeJS.Timeout;

  constructor(
    @Inject(MAX_RUNNERS) private readonly maxRunners: number,
    private readonly runners: LocalRunners,
    private readonly leases: RunnerLeases,
    private readonly factory: DeliveryRunnerFactory,
    private readonly queue: DeliveryQueue,
  ) {}

  /**
   * Ensures that a runner, here or in another process, delivers what is due. When the pool is full, the job is
   * enqueued again.
   */
  async ensureRunning(subscription: Types.ObjectId): Promise<void> {
    const key = subscription.toHexString();
    if (this.runners.get(subscription)?.notify()) {
      this.waiting.delete(key);
      return;
    }
    if (this.isStopping || this.usedSlots >= this.maxRunners) return this.waitForSlot(subscription);
    this.usedSlots += 1;
    this.waiting.delete(key);
    let runner: DeliveryRunner | undefined;
    try {
      runner = await this.acquire(subscription);
    } finally {
      if (!runner) await this.releaseSlot();
    }
    if (runner) this.start(runner);
  }

  /** Stops all runners; attempts in flight finish. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const runner of this.ends.keys()) runner.stop();
    while (this.ends.size > 0) await Promise.all(this.ends.values());
  }

  /** @returns a runner with the lease; undefined when another holds it, or the subscription is not active. */
  private async acquire(subscription: Types.ObjectId): Promise<DeliveryRunner | undefined> {
    const lease = await this.leases.acquire(subscription);
    if (!lease || lease === 'held') return undefined;
    return this.factory.create(lease);
  }

  private start(runner: DeliveryRunner): void {
    this.runners.add(runner);
    const ended = runner
      .run()
      .catch((failure: unknown) => this.replace(runner, failure))
      .then(() => this.releaseSlot())
      .finally(() => {
        this.runners.remove(runner);
        this.ends.delete(runner);
      });
    this.ends.set(runner, ended);
    if (this.isStopping) runner.stop();
    this.notificationTimer ??= setTimeout(() => void this.passNotifications(), NOTIFICATION_INTERVAL_MS);
  }

  /** Another runner is started after a delay, here or in another process. */
  private async replace({ subscription }: DeliveryRunner, failure: unknown): Promise<void> {
    const isEnqueued = await this.queue.enqueueLater(subscription, RETRY_DELAY_MS);
    this.logger.error(
      `Delivery runner of webhook subscription ${subscription.toHexString()} failed and is restarted ` +
        `${isEnqueued ? 'in 1 s' : 'by the scheduler within 10 s'}: ${formatError(failure)}`,
    );
  }

  /** Notifies runners whose subscriptions got due deliveries from other processes. */
  private async passNotifications(): Promise<void> {
    const runners = this.runners.list();
    try {
      const notified = await this.leases.takeNotifications(
        runners.map(({ subscription }) => subscription),
        runners.map(({ id }) => id),
      );
      for (const id of notified) this.runners.get(id)?.notify();
    } catch (failure) {
      this.logger.warn(
        `Reading the notifications of delivery runners failed and is retried: ${formatError(failure)}`,
      );
    }
    const isNeeded = this.ends.size > 0;
    this.notificationTimer = isNeeded
      ? setTimeout(() => void this.passNotifications(), NOTIFICATION_INTERVAL_MS)
      : undefined;
  }

  private async waitForSlot(subscription: Types.ObjectId): Promise<void> {
    const key = subscription.toHexString();
    if (await this.leases.notifyHolder(subscription)) {
      this.waiting.delete(key);
      return;
    }
    this.waiting.add(key);
    this.preemptIfNeeded();
    await this.queue.enqueueLater(subscription, RETRY_DELAY_MS);
  }

  /** Stops an idle runner, or else the longest running one that has had its turn, unless enough slots will be free soon. */
  private preemptIfNeeded(): void {
    const runners = [...this.ends.keys()];
    const stopping = runners.filter(({ isStopping }) => isStopping);
    const expectedFreeSlots = this.maxRunners - runners.length + stopping.length;
    if (expectedFreeSlots >= this.waiting.size) return;
    (runners.find(({ isIdle }) => isIdle) ?? runners.find(({ isPreemptible }) => isPreemptible))?.stop();
  }

  private async releaseSlot(): Promise<void> {
    this.usedSlots -= 1;
    // One that has a runner by now leaves the slot to the next.
    for (const next of this.waiting) {
      if (this.isStopping || this.usedSlots >= this.maxRunners) return;
      const ensureRunning = () => this.ensureRunning(new Types.ObjectId(next));
      await withLogIds({ webhookSubscriptionId: next }, ensureRunning).catch((failure: unknown) => {
        this.logger.error(
          `Delivery runner of webhook subscription ${next} did not start; the scheduler retries within 10 s: ${formatError(failure)}`,
        );
      });
    }
  }
}
