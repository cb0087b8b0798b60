import { Types } from 'mongoose';
import type { Clock } from '../../common/clock';
import type { DeliveriesRepository } from '../deliveries/deliveries.repository';
import type { Delivery } from '../deliveries/delivery.schema';
import type { DeliveryRunner } from '../runners/delivery-runner';
import type { LocalRunners } from '../runners/local-runners';

const MAX_BATCH_CHARACTERS = 1024 * 1024;

/**
 * Stores deliveries in batches. A delivery whose subscription has a runner in this process with a free place is stored
 * claimed and handed over: it needs no job, no query and no claim of its own.
 */
export class DeliveryBatchWriter {
  private pending: Delivery[] = [];
  private characters = 0;
  private readonly reserved = new Map<Delivery, DeliveryRunner>();
  /** One for all, so that their results share an update. */
  private readonly claim = new Types.ObjectId();
  private readonly toEnqueue = new Map<string, Types.ObjectId>();

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly runners: LocalRunners,
    private readonly clock: Clock,
  ) {}

  async add(delivery: Delivery): Promise<void> {
    this.pending.push(delivery);
    this.characters += delivery.body.length;
    if (this.characters >= MAX_BATCH_CHARACTERS) await this.flush();
  }

  /** Stores what was added. @returns the subscriptions with deliveries that were not handed over, of all batches. */
  async flush(): Promise<Types.ObjectId[]> {
    const deliveries = this.pending;
    this.pending = [];
    this.characters = 0;
    for (const delivery of deliveries) this.reserve(delivery);
    try {
      for (const delivery of await this.deliveries.insertMissing(deliveries)) {
        this.reserved.get(delivery)?.handOver(delivery);
        this.reserved.delete(delivery);
      }
    } finally {
      this.cancelReservations();
    }
    return [...this.toEnqueue.values()];
  }

  private reserve(delivery: Delivery): void {
    const { webhookSubscription } = delivery;
    const runner = this.runners.get(webhookSubscription);
    if (runner?.reserve(delivery)) {
      delivery.claim = this.claim;
      delivery.claimedUntil = runner.claimEnd(this.clock.now());
      this.reserved.set(delivery, runner);
    } else this.toEnqueue.set(webhookSubscription.toHexString(), webhookSubscription);
  }

  /** Deliveries that existed already may have lost their job. */
  private cancelReservations(): void {
    for (const [delivery, runner] of this.reserved) {
      runner.cancelReservation(delivery);
      this.toEnqueue.set(delivery.webhookSubscription.toHexString(), delivery.webhookSubscription);
    }
    this.reserved.clear();
  }
}
