import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Outbox } from '../../infrastructure/mongo/outbox';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { OutboxEntry } from '../../messages/message-event';
import { OutboxRepository } from '../../messages/outbox/outbox.repository';
import type { Message } from '../../messages/message.schema';
import { type DocumentDeliveries, type FilteredSubscriber, messageDeliveries } from './event-deliveries';

/** A collection whose documents raise events. */
export interface EventSource<Document extends OwnedId, Entry> {
  /** What a document is, for the log. */
  readonly kind: string;
  readonly outbox: Outbox<Document, Entry>;
  /** Reads the outbox of a document. @param subscribers subscriptions of its account. */
  deliveriesOf(document: Document, subscribers: readonly FilteredSubscriber[]): DocumentDeliveries<Entry>;
  /** What else becomes of events, before they are removed from their outboxes. Idempotent. */
  record?(events: readonly AccountEvent<Entry>[]): Promise<void>;
}

export interface AccountEvent<Entry> {
  readonly user: Types.ObjectId;
  readonly entry: Entry;
}

@Injectable()
export class MessageEvents implements EventSource<Message, OutboxEntry> {
  readonly kind = 'message';
  readonly deliveriesOf = messageDeliveries;

  constructor(readonly outbox: OutboxRepository) {}
}
