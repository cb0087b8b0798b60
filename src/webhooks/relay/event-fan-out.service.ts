import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { distinctIds } from '../../common/documents';
import { DAY_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import type { RelayedEntries } from '../../infrastructure/mongo/outbox';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import { DeliveriesRepository } from '../deliveries/deliveries.repository';
import { DeliveryQueue } from '../runners/delivery.queue';
import { LocalRunners } from '../runners/local-runners';
import { DeliveryBatchWriter } from './delivery-batch-writer';
import {
  type DocumentDeliveries,
  type FilteredSubscriber,
  hasAccount,
  MalformedEvent,
} from './event-deliveries';
import type { PoolSim } from './event-filter';
import type { AccountEvent, EventSource } from './event-source';
import {
  type Subscriber,
  WebhookSubscriptionsRepository,
} from '../subscriptions/webhook-subscriptions.repository';

/** How long a paused subscription still gets deliveries, so that events of a pause can be replayed. */
const KEPT_WHILE_PAUSED_MS = 30 * DAY_MS;

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
    private readonly pools: PoolsRepository,
    private readonly sims: SimsRepository,
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
  async fanOut<Document extends OwnedId, Entry>(
    source: EventSource<Document, Entry>,
    documents: readonly Document[],
  ): Promise<FanOutFailure[]> {
    const subscribers = await this.subscribersOf(documents.filter(hasAccount));
    const failures: FanOutFailure[] = [];
    const complete: RelayedEntries<Entry>[] = [];
    const partial: RelayedEntries<Entry>[] = [];
    const events: AccountEvent<Entry>[] = [];
    const writer = new DeliveryBatchWriter(this.deliveries, this.runners, this.clock);
    for (const document of documents) {
      const { deliveries, entries, failure } = readDocument(source, document, subscribers);
      for (const delivery of deliveries) await writer.add(delivery);
      for (const entry of entries) events.push({ user: document.user, entry });
      if (failure !== undefined) failures.push({ id: document._id, reason: failure });
      (failure === undefined ? complete : partial).push({ document, entries });
    }
    await this.queue.enqueue(await writer.flush());
    await source.record?.(events);
    await source.outbox.removeEntries(complete, this.clock.now());
    await source.outbox.removeEntriesPartially(partial.filter(({ entries }) => entries.length > 0));
    return failures;
  }

  /** Deliveries to paused subscriptions are aborted as soon as they are due: a replay finds them. */
  private async subscribersOf(documents: readonly OwnedId[]): Promise<Map<string, FilteredSubscriber[]>> {
    const users = new Map(documents.map(({ user }) => [user.toHexString(), user]));
    const pausedSince = new Date(this.clock.now().getTime() - KEPT_WHILE_PAUSED_MS);
    const found = await this.subscriptions.listSubscribers([...users.values()], pausedSince);
    const subscribers = await Promise.all(
      found.map(async (subscriber) => ({ ...subscriber, poolSims: await this.poolSimsOf(subscriber) })),
    );
    return groupBy(subscribers, ({ user }) => user.toHexString());
  }

  /** Reads of one batch share queries. */
  private async poolSimsOf({ user, poolIds = [] }: Subscriber): Promise<readonly PoolSim[]> {
    if (poolIds.length === 0) return [];
    const account = accountScope(user);
    const pools = await Promise.all(poolIds.map((id) => this.pools.find(account, id)));
    const sims = distinctIds(pools.flatMap((pool) => pool?.sims ?? []));
    return this.sims.findMany(account, sims);
  }
}

function readDocument<Document extends OwnedId, Entry>(
  source: EventSource<Document, Entry>,
  document: Document,
  subscribers: ReadonlyMap<string, readonly FilteredSubscriber[]>,
): DocumentDeliveries<Entry> {
  try {
    if (!hasAccount(document)) throw new MalformedEvent(`The ${source.kind} has no account`);
    return source.deliveriesOf(document, subscribers.get(document.user.toHexString()) ?? []);
  } catch (failure) {
    return { deliveries: [], entries: [], failure };
  }
}
