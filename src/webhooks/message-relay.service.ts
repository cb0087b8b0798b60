import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { groupBy } from '../common/group-by';
import type { Message } from '../messages/message.schema';
import { OutboxRepository, RelayedEntries } from '../messages/outbox.repository';
import { DeliveriesRepository } from './deliveries.repository';
import type { Delivery } from './delivery.schema';
import { DeliveryQueue } from './delivery.queue';
import { hasAccount, MalformedEvent, MessageDeliveries, messageDeliveries } from './event-deliveries';
import { type Subscriber, SubscriptionsRepository } from './subscriptions.repository';

/** Characters of bodies that are stored in one write. */
const MAX_WRITE_CHARACTERS = 1024 * 1024;

/** A message with events that cannot be relayed. */
export interface RelayFailure {
  readonly message: Message;
  readonly reason: unknown;
}

/**
 * Turns the events of messages into deliveries. Whatever step it dies at, and however many run at once: an event stays in
 * its outbox until its deliveries are stored, and storing them twice creates nothing.
 */
@Injectable()
export class MessageRelay {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly subscriptions: SubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Relays what waits in these messages.
   * @returns those with events that are malformed; their other events are relayed.
   * @throws what the database throws; then any of them may have been relayed.
   */
  async relay(messages: readonly Message[]): Promise<RelayFailure[]> {
    const subscribers = await this.subscribersOf(messages.filter(hasAccount));
    const failures: RelayFailure[] = [];
    const [whole, partial]: RelayedEntries[][] = [[], []];
    const woken = new Map<string, Types.ObjectId>();
    const writer = new DeliveryWriter(this.deliveries);
    for (const message of messages) {
      const { deliveries, entries, failure } = readMessage(message, subscribers);
      for (const delivery of deliveries) {
        woken.set(String(delivery.webhookSubscription), delivery.webhookSubscription);
        await writer.add(delivery);
      }
      if (failure !== undefined) failures.push({ message, reason: failure });
      (failure === undefined ? whole : partial)?.push({ message: message._id, entries });
    }
    await writer.flush();
    await this.queue.wake([...woken.values()]);
    await this.outbox.remove(whole ?? [], this.clock.now());
    await this.outbox.removeSome((partial ?? []).filter(({ entries }) => entries.length > 0));
    return failures;
  }

  private async subscribersOf(messages: readonly Message[]): Promise<Map<string, Subscriber[]>> {
    const users = new Map(messages.map(({ user }) => [user.toHexString(), user]));
    const subscribers = await this.subscriptions.listSubscribers([...users.values()]);
    return groupBy(subscribers, ({ user }) => user.toHexString());
  }
}

function readMessage(
  message: Message,
  subscribers: ReadonlyMap<string, readonly Subscriber[]>,
): MessageDeliveries {
  try {
    if (!hasAccount(message)) throw new MalformedEvent('The message has no account');
    return messageDeliveries(message, subscribers.get(message.user.toHexString()) ?? []);
  } catch (failure) {
    return { deliveries: [], entries: [], failure };
  }
}

/** Stores deliveries, as many in one write as their bodies allow. */
class DeliveryWriter {
  private waiting: Delivery[] = [];
  private characters = 0;

  constructor(private readonly deliveries: DeliveriesRepository) {}

  async add(delivery: Delivery): Promise<void> {
    this.waiting.push(delivery);
    this.characters += delivery.body.length;
    if (this.characters >= MAX_WRITE_CHARACTERS) await this.flush();
  }

  async flush(): Promise<void> {
    const deliveries = this.waiting;
    this.waiting = [];
    this.characters = 0;
    await this.deliveries.insertNew(deliveries);
  }
}
