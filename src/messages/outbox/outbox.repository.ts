import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { type EntryIdentity, Outbox } from '../../infrastructure/mongo/outbox';
import { BOUNDED_MESSAGE, entryStatus, shortText } from '../bounded-message';
import { Message } from '../message.schema';
import { type OutboxEntry, raisedKey } from '../message-event';

const IDENTITY: EntryIdentity<OutboxEntry> = {
  keyOf: ({ event, reportedStatus }) => raisedKey(event, reportedStatus),
  isEntry: ({ event, reportedStatus }) => ({
    $and: [
      { $eq: ['$$entry.event', event] },
      // A literal, because a reported status may start with a dollar sign.
      { $eq: [{ $ifNull: [entryStatus('$$entry'), ''] }, shortText({ $literal: reportedStatus ?? '' })] },
    ],
  }),
};

/** The outbox of messages. */
@Injectable()
export class OutboxRepository extends Outbox<Message, OutboxEntry> {
  constructor(@InjectModel(Message.name) messages: Model<Message>) {
    super(messages, IDENTITY, [BOUNDED_MESSAGE]);
  }
}
