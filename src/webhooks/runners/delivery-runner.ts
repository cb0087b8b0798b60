import { Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { formatError } from '../../common/format-error';
import { type LogIds, withLogIds } from '../../infrastructure/logging/log-ids';
import { isDatabaseOutage } from '../../common/database-outage';
import { AttemptResults } from '../attempts/attempt-results.service';
import { attemptSummary } from '../deliveries/attempt-summary';
import { DeliveryAttemptsService } from '../attempts/delivery-attempts.service';
import { MAX_BATCHED_DELIVERY_BYTES } from '../deliveries/deliveries.repository';
import { claimEnd, DeliveryClaims } from './delivery-claims.service';
import type { Delivery } from '../deliveries/delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { type HeldLease, RunnerLeases } from './runner-leases.service';
import type { Attempt, DeliveryUpdate } from '../deliveries/delivery-update';

/** Per subscription, so that a slow endpoint cannot block others. */
const MAX_IN_FLIGHT = 20;

/** Request bodies in flight per subscription. */
const MAX_BYTES_IN_FLIGHT = 2 * MAX_BATCHED_DELIVERY_BYTES;

const TICK_INTERVAL_MS = 1_000;

/** A third of the lease, so that one slow renewal does not lose it. */
const RENEW_INTERVAL_MS = 10_000;

/** The times of the last attempts are recorded after this time at the latest; failures, and the first success after them, at once. */
const RECORD_INTERVAL_MS = 5_000;

const MAX_UNRECORDED = 100;

/** How long a runner without work keeps its lease, so that the next event needs neither a job nor the lease. */
const LINGER_MS = 2_000;

/**
 * Delivers what is due for one subscription while it holds the lease. Each iteration stores the results of finished
 * attempts, starts new attempts and waits until it is woken. Results that arrive together are stored together. Attempts come
 * from the relay of the same process, which hands over deliveries as it stores them, and from the database.
 */
export class DeliveryRunner {
  private readonly logger = new Logger(DeliveryRunner.name);
  private readonly handedOver: Delivery[] = [];
  private readonly finished: Attempt[] = [];
  private unrecorded: DeliveryUpdate[] = [];
  private inFlight = 0;
  private bytesInFlight = 0;
  private hasClaimed = false;
  private hasLease = true;
  /** Whether it may start attempts, as of the last time it read the subscription. */
  private mayStart = true;
  private stopRequested = false;
  /** Whether the database may contain due deliveries that were not claimed. */
  private mayHaveDue = true;
  private notifications = 0;
  private isEnding = false;
  private renewedAtMs = performance.now();
  private recordedAtMs = -Infinity;
  private activeAtMs = performance.now();
  private wake: () => void = () => undefined;

  constructor(
    private lease: HeldLease,
    private readonly leases: RunnerLeases,
    private readonly claims: DeliveryClaims,
    private readonly attempts: DeliveryAttemptsService,
    private readonly results: AttemptResults,
    private readonly queue: DeliveryQueue,
  ) {}

  get subscription(): Types.ObjectId {
    return this.lease.subscription._id;
  }

  /** Until when a delivery that is claimed now for `handOver` is reserved for it. */
  claimEnd(now: Date): Date {
    return claimEnd(this.lease.subscription, now);
  }

  /** The id of the holder of the lease. */
  get id(): Types.ObjectId {
    return this.lease.runner;
  }

  get isStopping(): boolean {
    return this.stopRequested;
  }

  /** Whether it only waits for the next event. */
  get isIdle(): boolean {
    return this.inFlight === 0 && !this.mayHaveDue && !this.stopRequested;
  }

  /** Whether it has had its turn: preempting it before its first claim would starve its subscription. */
  get isPreemptible(): boolean {
    return this.hasClaimed && !this.stopRequested;
  }

  /** Checks for due deliveries immediately. @returns false when it may not check again: it is ending or lost its lease. */
  notify(): boolean {
    this.notifications += 1;
    this.mayHaveDue = true;
    this.wake();
    return this.hasLease && !this.isEnding;
  }

  /**
   * Reserves a place among the attempts in flight for a delivery that is about to be stored, if no other delivery waits.
   * The caller stores it with a claim and calls `handOver`, or calls `cancelReservation`.
   */
  reserve(delivery: Delivery): boolean {
    const bytes = bodyBytes(delivery);
    const isBusy = this.inFlight >= MAX_IN_FLIGHT || this.bytesInFlight + bytes > MAX_BYTES_IN_FLIGHT;
    if (isBusy || this.mayHaveDue || this.stopRequested || this.isEnding || !this.hasLease) return false;
    this.addInFlight(1, bytes);
    return true;
  }

  /** Starts the attempt of a reserved delivery, which is stored and claimed. */
  handOver(delivery: Delivery): void {
    this.handedOver.push(delivery);
    this.wake();
  }

  cancelReservation(delivery: Delivery): void {
    this.addInFlight(-1, -bodyBytes(delivery));
    this.wake();
  }

  /**
   * Starts no further attempts. Attempts in flight finish and are stored; remaining deliveries are left to other
   * runners.
   */
  stop(): void {
    this.stopRequested = true;
    this.wake();
  }

  /**
   * Runs until nothing has been due for a while, and releases the lease.
   * @throws database errors, after it has released the lease and stored the results of its attempts as far as possible;
   * a delivery whose result is not stored is attempted again when its claim expires.
   */
  async run(): Promise<void> {
    try {
      do {
        this.isEnding = false;
        await this.runWhileActive();
        this.isEnding = true;
      } while (!(await this.end()));
    } catch (failure) {
      await this.abandon();
      throw failure;
    } finally {
      this.isEnding = true;
    }
  }

  /** Ends after a failure without starting attempts. Never throws; what fails again is left to expire. */
  private async abandon(): Promise<void> {
    this.isEnding = true;
    this.stop();
    for (;;) {
      const next = this.nextWakeUp();
      await this.giveBack(this.handedOver.splice(0)).catch(() => undefined);
      if (this.inFlight === 0) break;
      await next;
    }
    this.wake();
    try {
      await this.storeFinished();
    } catch (failure) {
      // The lease cannot be released either.
      if (isDatabaseOutage(failure)) return;
    }
    await this.releaseLease().catch(() => undefined);
  }

  /** Releases the lease even if it was notified meanwhile: the pool starts another runner. */
  private async releaseLease(): Promise<void> {
    let isReleased = false;
    while (!isReleased) isReleased = await this.leases.release(this.lease, attemptSummary(this.unrecorded));
  }

  private async runWhileActive(): Promise<void> {
    for (;;) {
      const next = this.nextWakeUp();
      await this.storeResults();
      await this.startAttempts();
      if (this.inFlight === 0 && this.finished.length === 0 && !this.isWaiting()) break;
      await next;
    }
    this.wake();
  }

  /** Resolves when `wake` is called: an attempt ended, a delivery was handed over, `notify` or `stop`; or at the next tick. */
  private nextWakeUp(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, TICK_INTERVAL_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Without the lease or the secrets, deliveries are left to other runners or to the scheduler. */
  private isWaiting(): boolean {
    if (!this.hasLease || !this.mayStart || this.stopRequested) return false;
    return this.mayHaveDue || performance.now() - this.activeAtMs < LINGER_MS;
  }

  /** Stores the results of finished attempts, and now and then the lease and the times of the subscription. */
  private async storeResults(): Promise<void> {
    await this.storeFinished();
    const now = performance.now();
    const isRecordDue = now - this.recordedAtMs >= RECORD_INTERVAL_MS || this.hasUnrecordedFailureChange();
    const mustRecord = this.unrecorded.length > 0 && isRecordDue;
    if (mustRecord || this.unrecorded.length >= MAX_UNRECORDED || now - this.renewedAtMs >= RENEW_INTERVAL_MS)
      await this.renewLease();
  }

  private async storeFinished(): Promise<void> {
    if (this.finished.length === 0) return;
    const finished = [...this.finished];
    const { stored, retries } = await this.results.store(this.lease.subscription, finished);
    // Not before, so that a failure loses none.
    this.finished.splice(0, finished.length);
    this.unrecorded.push(...stored);
    await this.queue.enqueueAt(this.subscription, retries);
  }

  /** Pauses depend on the failures since the last success. */
  private hasUnrecordedFailureChange(): boolean {
    const { failingSince } = this.lease.subscription;
    return failingSince !== undefined || this.unrecorded.some(({ errorType }) => errorType !== undefined);
  }

  private async renewLease(): Promise<void> {
    const recorded = this.unrecorded.length;
    const renewed = await this.leases.renew(this.lease, attemptSummary(this.unrecorded));
    this.unrecorded = this.unrecorded.slice(recorded);
    this.useLease(renewed);
    this.renewedAtMs = this.recordedAtMs = performance.now();
  }

  private useLease(lease: HeldLease | undefined): void {
    this.hasLease &&= lease !== undefined;
    this.lease = lease ?? this.lease;
  }

  /** Starts attempts of deliveries that were handed over or are due, with the current settings of the subscription. */
  private async startAttempts(): Promise<void> {
    if (this.handedOver.length === 0 && !this.mayHaveDue) return;
    this.useLease(await this.leases.read(this.lease));
    const { subscription } = this.lease;
    this.mayStart = this.hasLease && subscription.isActive && this.attempts.canSend(subscription);
    const handedOver = this.handedOver.splice(0);
    if (!this.mayStart || this.stopRequested) {
      await this.giveBack(handedOver);
      return;
    }
    for (const delivery of handedOver) void this.attempt(delivery);
    if (this.mayHaveDue) await this.claimDue();
  }

  private async giveBack(handedOver: readonly Delivery[]): Promise<void> {
    if (handedOver.length === 0) return;
    this.mayHaveDue = true;
    for (const delivery of handedOver) this.addInFlight(-1, -bodyBytes(delivery));
    await this.claims.release(handedOver);
    // Otherwise they are enqueued with the release of the lease.
    if (!this.hasLease) await this.queue.enqueue([this.subscription]);
  }

  private async claimDue(): Promise<void> {
    const limits = {
      count: MAX_IN_FLIGHT - this.inFlight,
      bytes: MAX_BYTES_IN_FLIGHT - this.bytesInFlight,
    };
    if (limits.count <= 0 || limits.bytes <= 0) return;
    const { notifications } = this;
    const { claimed, oversized, hasMore } = await this.claims.claimDue(this.lease.subscription, limits);
    // Until here, `mayHaveDue` keeps the relay from taking the places that were free.
    if (notifications === this.notifications) this.mayHaveDue = hasMore;
    this.hasClaimed = true;
    const attempt = (delivery: Delivery) => {
      this.addInFlight(1, bodyBytes(delivery));
      return this.attempt(delivery);
    };
    for (const delivery of claimed) void attempt(delivery);
    if (oversized) await this.claims.attemptOversized(this.lease.subscription, oversized, attempt);
  }

  private attempt(delivery: Delivery): Promise<void> {
    return withLogIds(idsOf(delivery), async () => {
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
        this.addInFlight(-1, -bodyBytes(delivery));
        this.wake();
      }
    });
  }

  private addInFlight(count: number, bytes: number): void {
    this.inFlight += count;
    this.bytesInFlight += bytes;
    this.activeAtMs = performance.now();
  }

  /** Releases the lease. @returns false when deliveries became due meanwhile. */
  private async end(): Promise<boolean> {
    const { _id, isActive } = this.lease.subscription;
    if (!this.hasLease) {
      if (this.unrecorded.length > 0) await this.renewLease();
      return true;
    }
    if (!(await this.leases.release(this.lease, attemptSummary(this.unrecorded)))) {
      this.mayHaveDue = true;
      return false;
    }
    if (isActive && this.mayHaveDue && this.mayStart) await this.queue.enqueue([_id]);
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
