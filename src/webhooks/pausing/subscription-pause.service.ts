import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryMetrics } from '../deliveries/delivery.metrics';
import { type PauseCondition, SubscriptionPauseRepository } from './subscription-pause.repository';

const ABORT_BATCH_SIZE = 1_000;

@Injectable()
export class SubscriptionPauseService {
  private readonly logger = new Logger(SubscriptionPauseService.name);

  constructor(
    private readonly subscriptions: SubscriptionPauseRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Pauses an active subscription, adds a note, logs it and aborts its deliveries.
   * @param condition what the pause is based on; skips the pause if it no longer holds.
   * @returns whether it was paused.
   */
  async pause(subscription: Types.ObjectId, condition: PauseCondition, note: string): Promise<boolean> {
    if (!(await this.subscriptions.pause(subscription, condition, note, this.clock.now()))) return false;
    this.logger.warn(`Webhook subscription ${subscription.toHexString()}: ${note}`);
    await this.abort(subscription);
    return true;
  }

  /** Aborts the deliveries of a paused or deleted subscription. Safe to repeat. */
  async abort(subscription: Types.ObjectId): Promise<void> {
    const owner = await this.subscriptions.findOwner(subscription);
    if (!owner) return;
    const target = { _id: subscription, user: owner.user };
    for (;;) {
      const abortable = await this.deliveries.listAbortable(target, this.clock.now(), ABORT_BATCH_SIZE);
      if (abortable.length === 0) return;
      // Checked after the query: once the subscription is active again, only older deliveries may be aborted.
      if (await this.subscriptions.isActive(subscription)) return;
      const failed = await this.deliveries.abort(owner, abortable, this.clock.now());
      this.metrics.countFinished({ delivered: 0, failed });
      if (abortable.length < ABORT_BATCH_SIZE) return;
    }
  }
}
