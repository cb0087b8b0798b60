import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { groupBy } from '../common/group-by';
import type { OutboxEntry } from '../messages/message-event';
import type { Message } from '../messages/message.schema';
import { OutboxRepository } from '../messages/outbox.repository';
import { DeliveriesRepository } from './deliveries.repository';
import type { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { eventPayload } from './event-payload';
import { Subscriber, SubscriptionsRepository, wants } from './subscriptions.repository';

/** Messages whose events are relayed together. */
const CHUNK = 200;

/** A relay that has not finished a chunk after this long is dead. */
const TAKEN_FOR_MS = 10_000;

/**
 * Turns the events that wait in messages into deliveries. Whatever step it dies at, and however many run at once: an
 * event stays in its outbox until its deliveries are stored, and storing them twice creates nothing.
 */
@Injectable()
export class RelayService {
  private isStopping = false;

  constructor(
    private readonly outbox: OutboxRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /** Relays until no event waits. */
  async relay(): Promise<void> {
    while (!this.isStopping && (await this.relayChunk()));
  }

  /** Begins no further chunk. */
  stop(): void {
    this.isStopping = true;
  }

  private async relayChunk(): Promise<boolean> {
    const now = this.clock.now();
    const messages = await this.outbox.take(now, new Date(now.getTime() + TAKEN_FOR_MS), CHUNK);
    if (messages.length === 0) return false;
    const subscribers = await this.subscribersOf(messages);
    const deliveries = messages.flatMap((message) =>
      message.outbox.flatMap((entry) =>
        (subscribers.get(message.user.toHexString()) ?? [])
          .filter((subscriber) => wants(subscriber, entry.event))
          .map((subscriber) => newDelivery(message, entry, subscriber)),
      ),
    );
    await this.deliveries.insertNew(deliveries);
    const woken = new Map(
      deliveries.map(({ webhookSubscription }) => [String(webhookSubscription), webhookSubscription]),
    );
    await this.queue.wake([...woken.values()]);
    await this.outbox.remove(
      messages.map(({ _id, outbox }) => ({ message: _id, entries: outbox })),
      this.clock.now(),
    );
    return true;
  }

  private async subscribersOf(messages: readonly Message[]): Promise<Map<string, Subscriber[]>> {
    const users = new Map(messages.map(({ user }) => [user.toHexString(), user]));
    const subscribers = await this.subscriptions.listSubscribers([...users.values()]);
    return groupBy(subscribers, ({ user }) => user.toHexString());
  }
}

/** A delivery that is due at once. Its id is the idempotency key, for good. */
function newDelivery(message: Message, entry: OutboxEntry, { _id, user }: Subscriber): Delivery {
  const id = new Types.ObjectId();
  return {
    _id: id,
    user,
    webhookSubscription: _id,
    event: entry.event,
    computedStatus: 'pending',
    deliveryAttemptCount: 0,
    nextDeliveryAttemptAt: entry.at,
    createdAt: entry.at,
    message: message._id,
    device: message.device,
    reportedStatus: entry.reportedStatus ?? '',
    ...(entry.requestId !== undefined && { requestId: entry.requestId }),
    body: JSON.stringify(eventPayload(entry, message, _id, id.toHexString())),
    attempts: [],
    redeliveryCount: 0,
  };
}
