import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { Outbox } from '../../infrastructure/mongo/outbox';
import { BOUNDED_MESSAGE, entryStatus, shortText } from '../lists/bounded-message';
import { Message } from '../message.schema';
import { type OutboxEntry, raisedKey } from './message-event';

/** The outbox of messages. */
@Injectable()
export class OutboxRepository extends Outbox<Message, OutboxEntry> {
  protected override readonly bound = [BOUNDED_MESSAGE];

  constructor(@InjectModel(Message.name) messages: Model<Message>) {
    super(messages);
  }

  protected keyOf({ event, reportedStatus }: OutboxEntry): string {
    return raisedKey(event, reportedStatus);
  }

  protected isEntry({ event, reportedStatus }: OutboxEntry): object {
    return {
      $and: [
        { $eq: ['$$entry.event', event] },
        // A literal, because a reported status may start with a dollar sign.
        { $eq: [{ $ifNull: [entryStatus('$$entry'), ''] }, shortText({ $literal: reportedStatus ?? '' })] },
      ],
    };
  }
}
