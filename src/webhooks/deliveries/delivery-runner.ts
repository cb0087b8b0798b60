import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { type LogIds, withLogIds } from '../../infrastructure/logging/log-ids';
import { DeliveryAttemptsService } from './delivery-attempts.service';
import { DeliveriesRepository, MAX_BATCHED_DELIVERY_BYTES } from './deliveries.repository';
import { DeliveryMetrics } from './delivery.metrics';
import type { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { Jitter } from './jitter';
import { SubscriptionPauseService } from '../subscriptions/subscription-pause.service';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { type Attempt, settle } from './settlement';
import type { WebhookSubscription } from '../subscriptions/webhook-subscription.schema';
import { attemptTotals } from './attempt-totals';

/** Per subscription, so that a slow endpoint cannot block others. */
const MAX_IN_FLIGHT = 20;

/** Request bodies in flight per subscription. */
const MAX_BYTES_IN_FLIGHT = 2 * MAX_BATCHED_DELIVERY_BYTES;

/** Twice the longest attempt (15 s). A holder that does not renew within this time is dead. */
export const LEASE_MS = 30_000;

/** While attempts are in flight, other processes may add deliveries. */
const POLL_INTERVAL_MS = 1_000;

export interface RunnerDependencies {
  readonly attempts: DeliveryAttemptsService;
  readonly deliveries: DeliveriesRepository;
  readonly leases: RunnerLeasesRepository;
  readonly pausing: SubscriptionPauseService;
  readonly queue: DeliveryQueue;
  readonly jitter: Jitter;
  readonly metrics: DeliveryMetrics;
  readonly clock: Clock;
  /** Only one large delivery is in flight per process. */
  readonly largeDeliverySlot: { isTaken: boolean };
}

/**
 * Delivers what is due for one subscription while it holds the lease. Each iteration stores the results of finished
 * attempts, renews the lease, starts new attempts and waits for an event. Results that arrive together are stored
 * together.
 */
export class DeliveryRunner {
  private readonly logger = new Logger(DeliveryRunner.name);
  private readonly finished: Attempt[] = [];
  private inFlight = 0;
  private bytesInFlight = 0;
  private hasClaimed = false;
  private stopRequested = false;
  private resolveEvent: () => void = () => undefined;

  constructor(
    private subscription: WebhookSubscription,
    private readonly id: Types.ObjectId,
    private readonly deps: RunnerDependencies,
  ) {}

  get isStopping(): boolean {
    return this.stopRequested;
  }

  /** Whether it has claimed deliveries, so that preempting it is fair to others. */
  get isPreemptible(): boolean {
    return this.hasClaimed && !this.stopRequested;
  }

  /** Checks for due deliveries immediately. */
  notify(): void {
    this.resolveEvent();
  }

  /**
   * Starts no further attempts. Attempts in flight finish and are stored; remaining deliveries are left to other
   * runners.
   */
  stop(): void {
    this.stopRequested = true;
    this.resolveEvent();
  }

  /**
   * Runs until nothing is due.
   * @throws database errors; claimed deliveries are attempted again when their claim expires.
   */
  async run(): Promise<void> {
    let hasLease = true;
    for (;;) {
      const next = this.nextEvent();
      hasLease = (await this.storeResults()) && hasLease;
      const mayStart = hasLease && !this.stopRequested && this.subscription.isActive && this.canSign();
      const started = mayStart ? await this.startAttempts(MAX_IN_FLIGHT - this.inFlight) : 0;
      if (started > 0 || this.inFlight > 0 || this.finished.length > 0) {
        await next;
        continue;
      }
      this.resolveEvent();
      if (!hasLease || (await this.releaseLease())) return;
    }
  }

  /** Resolves when an attempt ends, `notify` or `stop` is called, or the poll interval has passed. */
  private nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, POLL_INTERVAL_MS);
      this.resolveEvent = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Stores the results of finished attempts and renews the lease. @returns false when the lease is lost. */
  private async storeResults(): Promise<boolean> {
    const { deliveries, leases, queue, jitter, metrics } = this.deps;
    const attempts = this.finished.splice(0);
    // Pause first: if the process dies in between, an attempt is repeated, but the pause is not lost.
    await this.pauseIfGone(attempts);
    const settlements = attempts.map((attempt) => settle(attempt, jitter.next()));
    const written = settlements.length > 0 ? await deliveries.settle(settlements) : [];
    const totals = attemptTotals(written);
    metrics.countFinished(totals);
    const renewed = await leases.renew(this.subscription._id, this.id, this.leaseEnd(), totals);
    if (renewed) this.subscription = renewed;
    else if (totals.attempts > 0) await leases.addTotals(this.subscription._id, totals);
    const retries = written.flatMap(({ nextAt }) => (nextAt ? [nextAt] : []));
    await queue.enqueueAt(this.subscription._id, retries);
    return renewed !== null;
  }

  /** Passes the URL that answered, because the owner may have changed it meanwhile. */
  private async pauseIfGone(attempts: readonly Attempt[]): Promise<void> {
    const gone = attempts.filter(({ outcome }) => outcome.kind === 'non-retryable' && outcome.isGone);
    for (const deliveryUrl of new Set(gone.map((attempt) => attempt.deliveryUrl))) {
      const note = 'Paused: the endpoint answered 410 Gone';
      await this.deps.pausing.pause(this.subscription._id, { deliveryUrl }, note);
    }
  }

  /**
   * Claims due deliveries and starts attempts. @returns how many, including a large delivery that waits for the slot.
   */
  private async startAttempts(maxCount: number): Promise<number> {
    const limits = { count: maxCount, bytes: MAX_BYTES_IN_FLIGHT - this.bytesInFlight };
    if (limits.count <= 0 || limits.bytes <= 0) return 0;
    const now = this.deps.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const { claimed, large } = await this.deps.deliveries.claimDue(this.subscription._id, limits, now, until);
    this.hasClaimed = true;
    for (const delivery of claimed) void withLogIds(idsOf(delivery), () => this.attempt(delivery));
    if (large) await this.startLarge(large, now, until);
    return claimed.length + (large ? 1 : 0);
  }

  /** Attempts a large delivery, unless another one is in flight in this process. */
  private async startLarge(id: Types.ObjectId, now: Date, until: Date): Promise<void> {
    const { largeDeliverySlot, deliveries } = this.deps;
    if (largeDeliverySlot.isTaken) return;
    largeDeliverySlot.isTaken = true;
    let attempts: Promise<void>[] = [];
    try {
      const claimed = await deliveries.claimLarge(id, now, until);
      attempts = claimed.map((delivery) => withLogIds(idsOf(delivery), () => this.attempt(delivery)));
    } finally {
      void Promise.all(attempts).finally(() => (largeDeliverySlot.isTaken = false));
    }
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const bytes = bodyBytes(delivery);
    this.inFlight += 1;
    this.bytesInFlight += bytes;
    try {
      const attempt = await this.deps.attempts.attempt(this.subscription, delivery);
      this.deps.metrics.observe(attempt);
      this.logger.debug(attemptLine(attempt));
      this.finished.push(attempt);
    } catch (failure) {
      // An internal error, not one of the endpoint: the attempt is repeated when the claim expires.
      this.logger.error(
        `Delivery ${String(delivery._id)} was not attempted and is retried when its claim expires: ${formatError(failure)}`,
      );
    } finally {
      this.inFlight -= 1;
      this.bytesInFlight -= bytes;
      this.resolveEvent();
    }
  }

  /** @returns false when deliveries became due meanwhile. */
  private async releaseLease(): Promise<boolean> {
    const { leases, pausing, queue } = this.deps;
    const { _id, isActive } = this.subscription;
    const released = await leases.release(_id, this.id);
    if (!released) return false;
    // Attempts that were rescheduled while the subscription was paused or deleted.
    if (!isActive) await pausing.abort(_id);
    else if (this.stopRequested) await queue.enqueue([_id]);
    return true;
  }

  /** Without the secret, deliveries stay unclaimed until the scheduler enqueues them again. */
  private canSign(): boolean {
    return this.deps.attempts.canSign(this.subscription);
  }

  private leaseEnd(): Date {
    return new Date(this.deps.clock.now().getTime() + LEASE_MS);
  }
}

/** The stored body may be malformed. */
function bodyBytes({ body }: Delivery): number {
  const stored: unknown = body;
  return typeof stored === 'string' ? Buffer.byteLength(stored) : 0;
}

function idsOf({ _id, requestId, webhookSubscription, message }: Delivery): LogIds {
  return {
    requestId,
    webhookSubscriptionId: String(webhookSubscription),
    deliveryId: String(_id),
    smsId: String(message),
  };
}

/** Leaves out URL and response, which may contain private data. */
function attemptLine({ delivery, outcome, durationMs }: Attempt): string {
  const response = outcome.httpStatusCode === undefined ? 'no response' : `status ${outcome.httpStatusCode}`;
  const number = delivery.deliveryAttemptCount + 1;
  return `Attempt ${number} to deliver ${delivery.event}: ${outcome.kind}, ${response}, ${durationMs} ms`;
}
