import { Types } from 'mongoose';
import { MESSAGE_EVENTS, type OutboxEntry } from '../../messages/outbox/message-event';
import type { Message } from '../../messages/message.schema';
import type { Delivery } from '../deliveries/delivery.schema';
import { eventBody } from './event-payload';
import { type Subscriber, isSubscribedTo } from '../subscriptions/webhook-subscriptions.repository';

/** The outbox or message has a shape that no version of the service writes. */
export class MalformedEvent extends Error {}

export interface MessageDeliveries {
  /** One per event and subscription to it, created lazily. */
  readonly deliveries: Iterable<Delivery>;
  readonly entries: readonly OutboxEntry[];
  /** Why other entries of the message are malformed; absent when none is. */
  readonly failure?: unknown;
}

/** Reads the outbox of a message. @param subscribers active subscriptions of its account. */
export function messageDeliveries(message: Message, subscribers: readonly Subscriber[]): MessageDeliveries {
  const entries: OutboxEntry[] = [];
  const generators: Iterable<Delivery>[] = [];
  let failure: unknown;
  for (const entry of readOutbox(message)) {
    try {
      assertWellFormed(entry, message);
      const matching = subscribers.filter((subscriber) => isSubscribedTo(subscriber, entry.event));
      // Validates without subscribers too, so that subscribing to an event cannot make it malformed.
      generators.push(entryDeliveries(message, entry, eventBody(entry, message), matching));
      entries.push(entry);
    } catch (reason) {
      failure = reason;
    }
  }
  return { deliveries: chain(generators), entries, failure };
}

export function hasAccount({ user }: Message): boolean {
  return user instanceof Types.ObjectId;
}

function readOutbox({ outbox }: Message): readonly OutboxEntry[] {
  const stored: unknown = outbox;
  if (!Array.isArray(stored)) throw new MalformedEvent('The outbox is not an array');
  return outbox;
}

function assertWellFormed(entry: unknown, message: Message): void {
  if (typeof entry !== 'object' || entry === null) throw new MalformedEvent('An event is not an object');
  const { event, at, reportedStatus } = entry as Partial<Record<keyof OutboxEntry, unknown>>;
  if (!MESSAGE_EVENTS.some((known) => known === event))
    throw new MalformedEvent('An event has an unknown name');
  if (!(at instanceof Date)) throw new MalformedEvent('An event has no time');
  if (reportedStatus !== undefined && typeof reportedStatus !== 'string')
    throw new MalformedEvent('The reported status of an event is not a string');
  if (typeof message.message !== 'string') throw new MalformedEvent('The message has no text');
}

function* entryDeliveries(
  message: Message,
  entry: OutboxEntry,
  writeBody: ReturnType<typeof eventBody>,
  subscribers: readonly Subscriber[],
): Generator<Delivery> {
  for (const { _id, user } of subscribers) {
    const id = new Types.ObjectId();
    yield {
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
      ...(typeof entry.requestId === 'string' && { requestId: entry.requestId }),
      body: writeBody(_id, id.toHexString()),
      attempts: [],
      redeliveryCount: 0,
    };
  }
}

function* chain<Item>(parts: readonly Iterable<Item>[]): Generator<Item> {
  for (const part of parts) yield* part;
}
