import { Types } from 'mongoose';
import { MESSAGE_EVENTS, type OutboxEntry } from '../messages/message-event';
import type { Message } from '../messages/message.schema';
import type { Delivery } from './delivery.schema';
import { eventBody } from './event-payload';
import { type Subscriber, wants } from './subscriptions.repository';

/** Something stands in an outbox, or in its message, that no version of this service writes. */
export class MalformedEvent extends Error {}

/** What is relayed of a message. */
export interface MessageDeliveries {
  /** One for each event and each subscription that wants it, made as it is asked for. */
  readonly deliveries: Iterable<Delivery>;
  /** The entries they come from. */
  readonly entries: readonly OutboxEntry[];
  /** Why other entries of this message cannot be relayed; absent when all can. */
  readonly failure?: unknown;
}

/** Reads the outbox of a message. @param subscribers the active subscriptions of its account. */
export function messageDeliveries(message: Message, subscribers: readonly Subscriber[]): MessageDeliveries {
  const entries: OutboxEntry[] = [];
  const makers: Iterable<Delivery>[] = [];
  let failure: unknown;
  for (const entry of readOutbox(message)) {
    try {
      assertWellFormed(entry, message);
      const interested = subscribers.filter((subscriber) => wants(subscriber, entry.event));
      // Also without a subscriber: an event must not become malformed by somebody subscribing to it.
      makers.push(entryDeliveries(message, entry, eventBody(entry, message), interested));
      entries.push(entry);
    } catch (reason) {
      failure = reason;
    }
  }
  return { deliveries: chain(makers), entries, failure };
}

/** Whether it is known whose message it is. */
export function hasAccount({ user }: Message): boolean {
  return user instanceof Types.ObjectId;
}

/** What the database holds need not be what the schema says. */
function readOutbox({ outbox }: Message): readonly OutboxEntry[] {
  const stored: unknown = outbox;
  if (!Array.isArray(stored)) throw new MalformedEvent('The outbox is not a list');
  return outbox;
}

function assertWellFormed(entry: unknown, message: Message): void {
  if (typeof entry !== 'object' || entry === null) throw new MalformedEvent('An event is not an object');
  const { event, at, reportedStatus } = entry as Partial<Record<keyof OutboxEntry, unknown>>;
  if (!MESSAGE_EVENTS.some((known) => known === event))
    throw new MalformedEvent('An event has no known name');
  if (!(at instanceof Date)) throw new MalformedEvent('An event has no time');
  if (reportedStatus !== undefined && typeof reportedStatus !== 'string')
    throw new MalformedEvent('The status of an event is not a text');
  if (typeof message.message !== 'string') throw new MalformedEvent('The message has no text');
}

function* entryDeliveries(
  message: Message,
  entry: OutboxEntry,
  writeBody: ReturnType<typeof eventBody>,
  subscribers: readonly Subscriber[],
): Generator<Delivery> {
  for (const { _id, user } of subscribers) {
    // The id is the idempotency key.
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
