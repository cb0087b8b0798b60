import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Message } from '../../messages/message.schema';

@Injectable()
export class LoopMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Marks the message of a send as one of a loop test. @returns its id. */
  async markSent({ user }: AccountScope, batch: Types.ObjectId): Promise<Types.ObjectId | undefined> {
    const found = await this.messages
      .findOne({ user, smsBatch: batch }, { _id: 1 })
      .sort({ wave: 1, _id: 1 })
      .lean<Pick<Message, '_id'>>();
    if (found) await this.messages.updateOne({ user, _id: found._id }, { $set: { isLoopTest: true } });
    return found?._id;
  }

  /** Finds the text that a phone received since a time and that contains the nonce, and marks it. */
  async findArrival(
    { user }: AccountScope,
    device: Types.ObjectId,
    since: Date,
    nonce: string,
  ): Promise<Pick<Message, '_id' | 'createdAt'> | null> {
    const arrival = await this.messages
      .findOne(
        { user, device, createdAt: { $gte: since }, direction: 'received', message: { $regex: nonce } },
        { createdAt: 1, isLoopTest: 1 },
      )
      .sort({ createdAt: -1, _id: -1 })
      .lean<Pick<Message, '_id' | 'createdAt' | 'isLoopTest'>>();
    if (arrival && !arrival.isLoopTest)
      await this.messages.updateOne({ _id: arrival._id, user }, { $set: { isLoopTest: true } });
    return arrival;
  }
}
