import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { Message } from './message.schema';

const EPOCH = new Date(0);

/** Counts the messages of all accounts. */
@Injectable()
export class MessageCountsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Counts pending messages of all accounts, up to `limit`. */
  countPending(limit: number): Promise<number> {
    return this.messages.countDocuments({ status: 'pending', nextDispatchAt: { $gt: EPOCH } }, { limit });
  }

  /** Counts messages of all accounts that were dispatched and not reported on, up to `limit`. */
  countDispatched(limit: number): Promise<number> {
    return this.messages.countDocuments({ status: 'dispatched', dispatchedAt: { $gt: EPOCH } }, { limit });
  }
}
