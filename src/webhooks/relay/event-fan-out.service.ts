import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import type { RelayedEntries } from '../../infrastructure/mongo/outbox';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryQueue } from '../deliveries/runners/delivery.queue';
import { LocalRunners } from '../deliveries/runners/local-runners';
import { DeliveryBatchWriter } from './delivery-batch-writer';
import { type DocumentDeliveries, hasAccount, MalformedEvent } from './event-deliveries';
import type { EventDocument, EventSource } from './event-source';
import {
  type Subscriber,
  WebhookSubscriptionsRepository,
} from '../subscriptions/webhook-subscriptions.repository';

export interface FanOutFailure {
  readonly id: Types.ObjectId;
  readonly reason: unknown;
}

/**
 * Creates a delivery for each event and subscription. Idempotent: an outbox entry is removed only after its
 * deliveries are stored, and a unique index rejects duplicates.
 */
@Injectable()
export class EventFanOutService {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly runners: LocalRunners,
    private readonly queue: DeliveryQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the deliveries of all events in the outboxes of these documents.
   * @returns documents with malformed events; their other events are relayed.
   * @throws database errors; any of the documents may have been relayed by then.
   */
  async fanOut<Document extends EventDocument, Entry>(
    source: EventSource<Document, Entry>,
    documents: readonly Document[],
  ): Promise<FanOutFailure[]> {
    const subscribers = await this.subscribersOf(documents.filter(hasAccount));
    const failures: FanOutFailure[] = [];
    const complete: RelayedEntries<Entry>[] = [];
    const partial: RelayedEntries<Entry>[] = [];
    const writer = new DeliveryBatchWriter(this.deliveries, this.runners, this.clock);
    for (const document of documents) {
      const { deliveries, entries, failure } = readDocument(source, document, subscribers);
      for (const delivery of deliveries) await writer.add(delivery);
      if (failure !== undefined) failures.push({ id: document._id, reason: failure });
      (failure === undefined ? complete : partial).push({ document: document._id, entries });
    }
    await this.queue.enqueue(await writer.flush());
    await source.outbox.removeEntries(complete, this.clock.now());
    await source.outbox.removeEntriesPartially(partial.filter(({ entries }) => entries.length > 0));
    return failures;
  }

  private async subscribersOf(documents: readonly EventDocument[]): Promise<Map<string, Subscriber[]>> {
    const users = new Map(documents.map(({ user }) => [user.toHexString(), user]));
    const subscribers = await this.subscriptions.listSubscribers([...users.values()]);
    return groupBy(subscribers, ({ user }) => user.toHexString());
  }
}

function readDocument<Document extends EventDocument, Entry>(
  source: EventSource<Document, Entry>,
  document: Document,
  subscribers: ReadonlyMap<string, readonly Subscriber[]>,
): DocumentDeliveries<Entry> {
  try {
    if (!hasAccount(document)) throw new MalformedEvent(`The ${source.kind} has no account`);
    return source.deliveriesOf(document, subscribers.get(document.user.toHexString()) ?? []);
  } catch (failure) {
    return { deliveries: [], entries: [], failure };
  }
}
