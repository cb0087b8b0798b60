import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { Outbox } from '../../infrastructure/mongo/outbox';
import type { OutboxEntry } from '../../messages/outbox/message-event';
import { OutboxRepository } from '../../messages/outbox/outbox.repository';
import type { Message } from '../../messages/message.schema';
import type { Subscriber } from '../subscriptions/webhook-subscriptions.repository';
import { type DocumentDeliveries, messageDeliveries } from './event-deliveries';

/** A document with an outbox. */
export interface EventDocument {
  readonly _id: Types.ObjectId;
  readonly user: Types.ObjectId;
}

/** A collection whose documents raise events. */
export interface EventSource<Document extends EventDocument, Entry> {
  /** What a document is, for the log. */
  readonly kind: string;
  readonly outbox: Outbox<Document, Entry>;
  /** Reads the outbox of a document. @param subscribers active subscriptions of its account. */
  deliveriesOf(document: Document, subscribers: readonly Subscriber[]): DocumentDeliveries<Entry>;
}

@Injectable()
export class MessageEvents implements EventSource<Message, OutboxEntry> {
  readonly kind = 'message';
  readonly deliveriesOf = messageDeliveries;

  constructor(readonly outbox: OutboxRepository) {}
}
