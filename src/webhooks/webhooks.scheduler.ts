import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { Sweep } from '../common/sweep';
import { OutboxQueue } from '../messages/outbox.queue';
import { OutboxRepository } from '../messages/outbox.repository';
import { AutoPauseService } from './auto-pause.service';
import { DeliveriesRepository } from './deliveries.repository';
import { DeliveryQueue } from './delivery.queue';

const SWEEP_EVERY_MS = 5_000;
const PAUSE_EVERY_MS = 60_000;

/** What was due this long ago and waits still has lost its job. */
const OVERDUE_MS = 5_000;

/** Wake-ups that are sent together. */
const WOKEN_AT_ONCE = 500;

/** Finds events and deliveries that Redis has forgotten, and subscriptions that keep failing. Safe to run in every process at once. */
@Injectable()
export class WebhooksScheduler {
  private readonly sweeping = new Sweep(WebhooksScheduler.name);
  private readonly pausing = new Sweep(AutoPauseService.name);

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly outboxQueue: OutboxQueue,
    private readonly deliveries: DeliveriesRepository,
    private readonly deliveryQueue: DeliveryQueue,
    private readonly autoPause: AutoPauseService,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.wakeRelay();
      await this.wakeOverdue();
    });
  }

  @Interval(PAUSE_EVERY_MS)
  pauseFailing(): Promise<void> {
    return this.pausing.run(() => this.autoPause.pauseFailing());
  }

  async wakeRelay(): Promise<void> {
    if (await this.outbox.isOverdue(this.overdueSince())) this.outboxQueue.wake();
  }

  /** Goes from subscription to subscription, so that one with a long queue hides none of the others. */
  async wakeOverdue(): Promise<void> {
    const since = this.overdueSince();
    let overdue: Types.ObjectId[] = [];
    let last: Types.ObjectId | undefined;
    for (;;) {
      const waiting = await this.deliveries.nextWaiting(last);
      if (waiting && waiting.dueAt <= since) overdue.push(waiting.subscription);
      if (overdue.length === WOKEN_AT_ONCE || !waiting) {
        await this.deliveryQueue.wake(overdue);
        overdue = [];
      }
      if (!waiting) return;
      last = waiting.subscription;
    }
  }

  private overdueSince(): Date {
    return new Date(this.clock.now().getTime() - OVERDUE_MS);
  }
}
