import { Types } from 'mongoose';
import { OPERATIONAL_EVENTS, type OperationalEntry } from '../../devices/events/operational-event';
import { MESSAGE_EVENTS, type OutboxEntry } from '../../messages/message-event';
import type { Message } from '../../messages/message.schema';
import type { Delivery } from '../deliveries/delivery.schema';
import { eventBody, operationalBody, type WriteBody } from '../events/event-payload';
import { type EventFilter, type EventOrigin, passesFilter } from './event-filter';
import { type Subscriber, isSubscribedTo } from '../subscriptions/webhook-subscriptions.repository';
import type { EmittedEvent } from '../webhook-event';

/** The outbox or its document has a shape that no version of the service writes. */
export class MalformedEvent extends Error {}

export interface DocumentDeliveries<Entry> {
  /** One per event and subscription to it, created lazily. */
  readonly deliveries: Iterable<Delivery>;
  readonly entries: readonly Entry[];
  /** Why other entries of the document are malformed; absent when none is. */
  readonly failure?: unknown;
}

/** What the deliveries of an event have in common. */
export type FilteredSubscriber = Subscriber & EventFilter;

interface RaisedEvent extends Pick<Delivery, 'message' | 'device' | 'reportedStatus' | 'requestId'> {
  readonly event: EmittedEvent;
  readonly at: Date;
  readonly origin: EventOrigin;
  readonly writeBody: WriteBody;
}

/** Reads the outbox of a message. @param subscribers active subscriptions of its account. */
export function messageDeliveries(
  message: Message,
  subscribers: readonly FilteredSubscriber[],
): DocumentDeliveries<OutboxEntry> {
  return outboxDeliveries(message.outbox, subscribers, (entry) => {
    assertMessageEvent(entry, message);
    const { event, at, reportedStatus, requestId } = entry;
    return {
      event,
      at,
      message: message._id,
      device: message.device,
      origin: originOf(message),
      reportedStatus: reportedStatus ?? '',
      ...(typeof requestId === 'string' && { requestId }),
      writeBody: eventBody(entry, message),
    };
  });
}

/**
 * Reads an outbox of operational events.
 * @param subscribers active subscriptions of the account.
 */
export function operationalDeliveries(
  { outbox }: { readonly outbox?: readonly OperationalEntry[] },
  subscribers: readonly FilteredSubscriber[],
): DocumentDeliveries<OperationalEntry> {
  return outboxDeliveries(outbox, subscribers, (entry) => {
    assertOperationalEvent(entry);
    const { id, event, at, device, details } = entry;
    return {
      event,
      at,
      ...(device && { device }),
      origin: { device, ...('simId' in details && { sim: new Types.ObjectId(details.simId) }) },
      reportedStatus: id.toHexString(),
      writeBody: operationalBody(entry),
    };
  });
}

const originOf = ({ device, pool, sim, simSubscriptionId }: Message): EventOrigin => ({
  device,
  pool,
  sim,
  subscriptionId: simSubscriptionId,
});

export function hasAccount({ user }: { readonly user?: unknown }): boolean {
  return user instanceof Types.ObjectId;
}

/** @param read throws if an entry is malformed. */
function outboxDeliveries<Entry>(
  outbox: readonly Entry[] | undefined,
  subscribers: readonly FilteredSubscriber[],
  read: (entry: Entry) => RaisedEvent,
): DocumentDeliveries<Entry> {
  const stored: unknown = outbox;
  if (!Array.isArray(stored)) throw new MalformedEvent('The outbox is not an array');
  const entries: Entry[] = [];
  const generators: Iterable<Delivery>[] = [];
  let failure: unknown;
  for (const entry of stored as readonly Entry[]) {
    try {
      // Validates without subscribers too, so that subscribing to an event cannot make it malformed.
      const raised = read(entry);
      const matching = subscribers.filter(
        (subscriber) => isSubscribedTo(subscriber, raised.event) && passesFilter(subscriber, raised.origin),
      );
      generators.push(eventDeliveries(raised, matching));
      entries.push(entry);
    } catch (reason) {
      failure = reason;
    }
  }
  return { deliveries: chain(generators), entries, failure };
}

function assertMessageEvent(entry: unknown, message: Message): void {
  const { reportedStatus } = assertEvent<OutboxEntry>(entry, MESSAGE_EVENTS);
  if (reportedStatus !== undefined && typeof reportedStatus !== 'string')
    throw new MalformedEvent('The reported status of an event is not a string');
  if (typeof message.message !== 'string') throw new MalformedEvent('The message has no text');
}

function assertOperationalEvent(entry: unknown): void {
  const { id, device, details } = assertEvent<OperationalEntry>(entry, OPERATIONAL_EVENTS);
  if (!(id instanceof Types.ObjectId)) throw new MalformedEvent('An event has no id');
  if (device !== undefined && !(device instanceof Types.ObjectId))
    throw new MalformedEvent('The device of an event is not an id');
  if (typeof details !== 'object' || details === null) throw new MalformedEvent('An event has no details');
}

function assertEvent<Entry>(
  entry: unknown,
  names: readonly string[],
): Partial<Record<keyof Entry | 'event' | 'at', unknown>> {
  if (typeof entry !== 'object' || entry === null) throw new MalformedEvent('An event is not an object');
  const fields = entry as Partial<Record<keyof Entry | 'event' | 'at', unknown>>;
  if (!names.some((known) => known === fields.event))
    throw new MalformedEvent('An event has an unknown name');
  if (!(fields.at instanceof Date)) throw new MalformedEvent('An event has no time');
  return fields;
}

function* eventDeliveries(
  { at, origin: _origin, writeBody, ...event }: RaisedEvent,
  subscribers: readonly FilteredSubscriber[],
): Generator<Delivery> {
  for (const { _id, user } of subscribers) {
    const id = new Types.ObjectId();
    yield {
      _id: id,
      user,
      webhookSubscription: _id,
      computedStatus: 'pending',
      deliveryAttemptCount: 0,
      nextDeliveryAttemptAt: at,
      createdAt: at,
      ...event,
      body: writeBody(_id, id.toHexString()),
      attempts: [],
      redeliveryCount: 0,
    };
  }
}

function* chain<Item>(parts: readonly Iterable<Item>[]): Generator<Item> {
  for (const part of parts) yield* part;
}
