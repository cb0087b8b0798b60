import { Logger } from '@nestjs/common';
import { formatError } from '../../common/format-error';
import { type LogIds, withLogIds } from '../../infrastructure/logging/log-ids';
import { AttemptResults } from './attempt-results.service';
import { DeliveryAttemptsService } from './delivery-attempts.service';
import { MAX_BATCHED_DELIVERY_BYTES } from './deliveries.repository';
import { DeliveryClaims } from './delivery-claims.service';
import type { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { type HeldLease, RunnerLeases } from './runner-leases.service';
import type { Attempt } from './settlement';

/** Per subscription, so that a slow endpoint cannot block others. */
const MAX_IN_FLIGHT = 20;

/** Request bodies in flight per subscription. */
const MAX_BYTES_IN_FLIGHT = 2 * MAX_BATCHED_DELIVERY_BYTES;

/** While attempts are in flight, other processes may add deliveries. */
const POLL_INTERVAL_MS = 1_000;

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
    private lease: HeldLease,
    private readonly leases: RunnerLeases,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttemptsService,
    private readonly results: AttemptResults,
    private readonly queue: DeliveryQueue,
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
      const { subscription } = this.lease;
      // Without the secret, deliveries stay unclaimed until the scheduler enqueues them again.
      const mayStart =
        hasLease && !this.stopRequested && subscription.isActive && this.attempts.canSign(subscription);
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
    const { subscription } = this.lease;
    const { _id } = subscription;
    const { totals, retries } = await this.results.store(subscription, this.finished.splice(0));
    const renewed = await this.leases.renew(this.lease, totals);
    this.lease = renewed ?? this.lease;
    await this.queue.enqueueAt(_id, retries);
    return renewed !== undefined;
  }

  /**
   * Claims due deliveries and starts attempts. @returns how many, including a large delivery that waits for the slot.
   */
  private async startAttempts(maxCount: number): Promise<number> {
    const limits = { count: maxCount, bytes: MAX_BYTES_IN_FLIGHT - this.bytesInFlight };
    if (limits.count <= 0 || limits.bytes <= 0) return 0;
    const { claimed, large } = await this.claims.claimDue(this.lease.subscription._id, limits);
    this.hasClaimed = true;
    const attempt = (delivery: Delivery) => withLogIds(idsOf(delivery), () => this.attempt(delivery));
    for (const delivery of claimed) void attempt(delivery);
    if (large) await this.claims.attemptLarge(large, attempt);
    return claimed.length + (large ? 1 : 0);
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const bytes = bodyBytes(delivery);
    this.inFlight += 1;
    this.bytesInFlight += bytes;
    try {
      const attempt = await this.attempts.attempt(this.lease.subscription, delivery);
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
    const { _id, isActive } = this.lease.subscription;
    if (!(await this.leases.release(this.lease))) return false;
    if (isActive && this.stopRequested) await this.queue.enqueue([_id]);
    return true;
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
