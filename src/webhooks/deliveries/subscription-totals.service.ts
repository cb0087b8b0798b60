import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { MaintenanceConfig } from '../../config/sections/maintenance.config';
import { closableUntil } from '../../totals/periods';
import type { WebhookSubscription } from '../webhook-subscription.schema';
import {
  type CountedSubscription,
  type StoredCounters,
  SubscriptionTotalsRepository,
} from './subscription-totals.repository';

/** Exact counters of subscriptions: the stored ones, and the changes since `countedThrough`. */
@Injectable()
export class SubscriptionTotals {
  private readonly counters = new CoalescedLoader<Types.ObjectId, StoredCounters>(
    (id) => id.toHexString(),
    (ids) => this.repository.readCounters(ids),
  );

  constructor(
    private readonly repository: SubscriptionTotalsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  /** @returns the subscription with its counters up to now. */
  async withTotals(subscription: WebhookSubscription): Promise<WebhookSubscription> {
    const { attempts, delivered, failed } = await this.repository.sumOpen(subscription);
    const stored = await this.counters.load(subscription._id);
    // A period that was closed meanwhile may be missing in the sum.
    if (stored && stored.countedThrough?.getTime() !== subscription.countedThrough?.getTime())
      return this.withTotals(Object.assign({}, subscription, stored));
    return Object.assign({}, subscription, {
      deliveryAttemptCount: subscription.deliveryAttemptCount + attempts,
      successfulDeliveryCount: subscription.successfulDeliveryCount + delivered,
      deliveryFailureCount: subscription.deliveryFailureCount + failed,
    });
  }

  /**
   * Closes the periods that are over. Concurrent calls add every change once.
   * @param now a time of the database.
   * @returns up to where they are closed.
   */
  async closeUntil(subscriptions: readonly CountedSubscription[], now: Date): Promise<Date> {
    const to = closableUntil(now, this.config);
    for (const subscription of subscriptions) await this.close(subscription, to);
    return to;
  }

  /** @param to a time of the database; all changes before it must be visible. */
  async close(subscription: CountedSubscription, to: Date): Promise<void> {
    let current: CountedSubscription | undefined = subscription;
    while (current && !(current.countedThrough && current.countedThrough >= to)) {
      const counts = await this.repository.sumOpen(current, to);
      if (await this.repository.advance(current, to, counts)) return;
      // Another process has closed a period, perhaps not as far; or the subscription was erased.
      const stored = await this.repository.readCounters([subscription._id]);
      current = stored.get(subscription._id.toHexString());
    }
  }
}
