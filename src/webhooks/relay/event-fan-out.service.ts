import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import type { Message } from '../../messages/message.schema';
import { OutboxRepository, RelayedEntries } from '../../messages/outbox/outbox.repository';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryQueue } from '../deliveries/delivery.queue';
import { LocalRunners } from '../deliveries/local-runners';
import { DeliveryBatchWriter } from './delivery-batch-writer';
import { hasAccount, MalformedEvent, MessageDeliveries, messageDeliveries } from './event-deliveries';
import {
  type Subscriber,
  WebhookSubscriptionsRepository,
} from '../subscriptions/webhook-subscriptions.repository';

export interface FanOutFailure {
  readonly message: Message;
  readonly reason: unknown;
}

/**
 * Creates a delivery for each event and subscription. Idempotent: an outbox entry is removed only after its
 * deliveries are stored, and a unique index rejects duplicates.
 */
@Injectable()
export class EventFanOutService {
  constructor(
    private readonly outbox: OutboxRepository,
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly runners: LocalRunners,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the deliveries of all events in the outboxes of these messages.
   * @returns messages with malformed events; their other events are relayed.
   * @throws database errors; any of the messages may have been relayed by then.
   */
  async fanOut(messages: readonly Message[]): Promise<FanOutFailure[]> {
    const subscribers = await this.subscribersOf(messages.filter(hasAccount));
    const failures: FanOutFailure[] = [];
    const [complete, partial]: RelayedEntries[][] = [[], []];
    const writer = new DeliveryBatchWriter(this.deliveries, this.runners, this.clock);
    for (const message of messages) {
      const { deliveries, entries, failure } = readMessage(message, subscribers);
      for (const delivery of deliveries) await writer.add(delivery);
      if (failure !== undefined) failures.push({ message, reason: failure });
      (failure === undefined ? complete : partial)?.push({ message: message._id, entries });
    }
    await this.queue.enqueue(await writer.flush());
    await this.outbox.removeEntries(complete ?? [], this.clock.now());
    await this.outbox.removeEntriesPartially((partial ?? []).filter(({ entries }) => entries.length > 0));
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
