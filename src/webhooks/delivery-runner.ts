import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { failureLine } from '../common/failure-line';
import { type LogIds, withLogIds } from '../common/log-ids';
import { AttemptsService } from './attempts.service';
import { DeliveriesRepository, MAX_SHARED_DELIVERY_BYTES } from './deliveries.repository';
import { DeliveryMetrics } from './delivery.metrics';
import type { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { Jitter } from './jitter';
import { PausingService } from './pausing.service';
import { RunnerLeasesRepository } from './runner-leases.repository';
import { type Attempt, settle } from './settlement';
import type { Subscription } from './subscription.schema';
import { tally } from './tally';

/** Attempts in flight for one subscription: a slow endpoint takes up this much and no more. */
const MOST_IN_FLIGHT = 20;

/** Bytes of bodies in flight for one subscription. */
const MAX_BYTES_IN_FLIGHT = 2 * MAX_SHARED_DELIVERY_BYTES;

/** An attempt takes at most 15 s; whoever has a lease or a claim for longer than this without renewing it is dead. */
export const LEASE_MS = 30_000;

/** How often a runner that waits for endpoints looks for what came up meanwhile elsewhere. */
const LOOK_AGAIN_MS = 1_000;

/** What a runner works with. */
export interface RunnerTools {
  readonly attempts: AttemptsService;
  readonly deliveries: DeliveriesRepository;
  readonly leases: RunnerLeasesRepository;
  readonly pausing: PausingService;
  readonly queue: DeliveryQueue;
  readonly jitter: Jitter;
  readonly metrics: DeliveryMetrics;
  readonly clock: Clock;
  /** The one place of this process for deliveries that are too large to be attempted with others. */
  readonly largeDelivery: { isTaken: boolean };
}

/**
 * Delivers what of one subscription is due, under its lease, and ends when nothing is. It goes in turns: write down
 * the attempts that ended, renew the lease, fill the free places, wait for something to happen. Whatever ends at
 * about the same time is written together, so a busy subscription costs few writes.
 */
export class DeliveryRunner {
  private readonly logger = new Logger(DeliveryRunner.name);
  private readonly ended: Attempt[] = [];
  private inFlight = 0;
  private bytesInFlight = 0;
  private hasBegun = false;
  private isStopping = false;
  private wakeUp: () => void = () => undefined;

  constructor(
    private subscription: Subscription,
    private readonly id: Types.ObjectId,
    private readonly tools: RunnerTools,
  ) {}

  /** Whether it has been told to stop. */
  get isLeaving(): boolean {
    return this.isStopping;
  }

  /** Whether it has had something of its turn, and has not been told to stop. */
  get canLeave(): boolean {
    return this.hasBegun && !this.isStopping;
  }

  /** Something came up: look at once. */
  wake(): void {
    this.wakeUp();
  }

  /** Begins nothing more; what is in flight is finished and written down, and what is left is for another runner. */
  stop(): void {
    this.isStopping = true;
    this.wakeUp();
  }

  /** Runs until nothing is due. @throws what the database throws; what was claimed is attempted again after its claim. */
  async run(): Promise<void> {
    let hasLease = true;
    for (;;) {
      const next = this.nextEvent();
      hasLease = (await this.writeDown()) && hasLease;
      const mayBegin = hasLease && !this.isStopping && this.subscription.isActive && this.canSign();
      const begun = mayBegin ? await this.begin(MOST_IN_FLIGHT - this.inFlight) : 0;
      if (begun > 0 || this.inFlight > 0 || this.ended.length > 0) {
        await next;
        continue;
      }
      this.wakeUp();
      if (!hasLease || (await this.end())) return;
    }
  }

  /** Resolves at the next thing that happens after this call: an attempt ends, a wake-up, or time passes. */
  private nextEvent(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_AGAIN_MS);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Writes down what ended, and renews the lease. @returns false when the lease is lost. */
  private async writeDown(): Promise<boolean> {
    const { deliveries, leases, queue, jitter, metrics } = this.tools;
    const attempts = this.ended.splice(0);
    // Before they are written down: a death in between would lose the pause, but only repeats an attempt.
    await this.pauseIfGone(attempts);
    const settlements = attempts.map((attempt) => settle(attempt, jitter.next()));
    const written = settlements.length > 0 ? await deliveries.settle(settlements) : [];
    const done = tally(written);
    metrics.countEnded(done);
    const renewed = await leases.renew(this.subscription._id, this.id, this.leaseEnd(), done);
    if (renewed) this.subscription = renewed;
    else if (done.attempts > 0) await leases.count(this.subscription._id, done);
    const retries = written.flatMap(({ nextAt }) => (nextAt ? [nextAt] : []));
    await queue.wakeAt(this.subscription._id, retries);
    return renewed !== null;
  }

  /** An endpoint that was replaced while it answered no longer matters. */
  private async pauseIfGone(attempts: readonly Attempt[]): Promise<void> {
    const gone = attempts.filter(({ outcome }) => outcome.kind === 'non-retryable' && outcome.isGone);
    for (const deliveryUrl of new Set(gone.map((attempt) => attempt.deliveryUrl))) {
      const note = 'Paused: the endpoint answered 410 Gone';
      await this.tools.pausing.pause(this.subscription._id, { deliveryUrl }, note);
    }
  }

  /** Begins attempts on what is due. @returns how many, those included that wait for the place of a large one. */
  private async begin(places: number): Promise<number> {
    const room = { count: places, bytes: MAX_BYTES_IN_FLIGHT - this.bytesInFlight };
    if (room.count <= 0 || room.bytes <= 0) return 0;
    const now = this.tools.clock.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const { claimed, large } = await this.tools.deliveries.claimDue(this.subscription._id, room, now, until);
    this.hasBegun = true;
    for (const delivery of claimed) void withLogIds(idsOf(delivery), () => this.attempt(delivery));
    if (large) await this.beginLarge(large, now, until);
    return claimed.length + (large ? 1 : 0);
  }

  /** Attempts a large delivery, unless another one is under way in this process; then it is looked for again. */
  private async beginLarge(id: Types.ObjectId, now: Date, until: Date): Promise<void> {
    const { largeDelivery, deliveries } = this.tools;
    if (largeDelivery.isTaken) return;
    largeDelivery.isTaken = true;
    let attempts: Promise<void>[] = [];
    try {
      const claimed = await deliveries.claimLarge(id, now, until);
      attempts = claimed.map((delivery) => withLogIds(idsOf(delivery), () => this.attempt(delivery)));
    } finally {
      void Promise.all(attempts).finally(() => (largeDelivery.isTaken = false));
    }
  }

  private async attempt(delivery: Delivery): Promise<void> {
    const bytes = bodyBytes(delivery);
    this.inFlight += 1;
    this.bytesInFlight += bytes;
    try {
      const attempt = await this.tools.attempts.attempt(this.subscription, delivery);
      this.tools.metrics.observe(attempt);
      this.logger.debug(attemptLine(attempt));
      this.ended.push(attempt);
    } catch (failure) {
      // A fault of ours, not of the endpoint: the attempt is made again when its claim ends.
      this.logger.error(`Delivery ${String(delivery._id)} could not be attempted: ${failureLine(failure)}`);
    } finally {
      this.inFlight -= 1;
      this.bytesInFlight -= bytes;
      this.wakeUp();
    }
  }

  /** @returns false when something came up meanwhile. */
  private async end(): Promise<boolean> {
    const { leases, pausing, queue } = this.tools;
    const { _id, isActive } = this.subscription;
    const released = await leases.release(_id, this.id);
    if (!released) return false;
    // What came back for another attempt while the subscription was paused or deleted.
    if (!isActive) await pausing.abort(_id);
    // What is due still is for another runner.
    else if (this.isStopping) await queue.wake([_id]);
    return true;
  }

  /** While its secret cannot be read, a subscription's deliveries wait for the sweeper, unclaimed. */
  private canSign(): boolean {
    return this.tools.attempts.canSign(this.subscription);
  }

  private leaseEnd(): Date {
    return new Date(this.tools.clock.now().getTime() + LEASE_MS);
  }
}

/** What the database holds need not be a text. */
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

/** Neither the URL nor the answer: either can hold what is nobody's but the owner's. */
function attemptLine({ delivery, outcome, durationMs }: Attempt): string {
  const answer = outcome.httpStatusCode === undefined ? 'no answer' : `answer ${outcome.httpStatusCode}`;
  const number = delivery.deliveryAttemptCount + 1;
  return `Attempt ${number} on ${delivery.event}: ${outcome.kind}, ${answer}, ${durationMs} ms`;
}
