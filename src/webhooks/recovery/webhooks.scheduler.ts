import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { OutboxRepository } from '../../messages/outbox/outbox.repository';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryQueue } from '../runners/delivery.queue';
import { WebhooksFallback } from './webhooks-fallback.service';

/** Work that is overdue by this much has lost its job. */
const OVERDUE_MS = 5 * SECOND_MS;

const BATCH_SIZE = 500;

/**
 * Enqueues events and deliveries whose job was lost; relays and delivers them itself while Redis is down. Idempotent: may
 * run in several processes.
 */
@Injectable()
export class WebhooksScheduler {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly outboxQueue: OutboxQueue,
    private readonly deliveries: DeliveriesRepository,
    private readonly deliveryQueue: DeliveryQueue,
    private readonly fallback: WebhooksFallback,
    private readonly clock: Clock,
  ) {}

  @Sweep(5 * SECOND_MS)
  async sweep(): Promise<void> {
    await this.enqueueOverdueEvents();
    await this.enqueueOverdueDeliveries();
  }

  async enqueueOverdueEvents(): Promise<void> {
    if (!(await this.outbox.isOverdue(this.overdueSince()))) return;
    if (!(await this.outboxQueue.enqueue())) await this.fallback.relay();
  }

  /** Iterates over subscriptions rather than deliveries, so that one with a long backlog does not hide others. */
  async enqueueOverdueDeliveries(): Promise<void> {
    const since = this.overdueSince();
    let overdue: Types.ObjectId[] = [];
    let last: Types.ObjectId | undefined;
    for (;;) {
      const next = await this.deliveries.findNextScheduled(last);
      if (next && next.dueAt <= since) overdue.push(next.subscription);
      if (overdue.length === BATCH_SIZE || !next) {
        if (!(await this.deliveryQueue.enqueue(overdue))) await this.fallback.deliver(overdue);
        overdue = [];
      }
      if (!next) return;
      last = next.subscription;
    }
  }

  private overdueSince(): Date {
    return new Date(this.clock.now().getTime() - OVERDUE_MS);
  }
}
