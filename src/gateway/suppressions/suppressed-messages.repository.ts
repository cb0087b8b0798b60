import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { CLAIMABLE } from '../../messages/ended-attempt';
import { Message, type OutgoingMessage } from '../../messages/message.schema';
import { NOT_SENT_YET } from '../cancellation/cancellation.repository';
import type { HandedMessage } from '../cancellation/cancellation.service';

export type PendingMessage = Pick<OutgoingMessage, '_id' | 'smsBatch' | 'createdAt'>;

@Injectable()
export class SuppressedMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Lists messages to a number that wait on the server and that nobody has claimed, the oldest first. Those whose `createdAt` is moved
   * forward meanwhile are still found.
   * @param after the last message of the page before.
   */
  listPending(
    { user }: AccountScope,
    peerNumber: string,
    after: PendingMessage | undefined,
    limit: number,
  ): Promise<PendingMessage[]> {
    return this.messages
      .find(
        {
          ...{ user, peerNumber },
          ...CLAIMABLE,
          // The bound of the time is outside the `$or` because only there it limits the index scan.
          ...(after && {
            createdAt: { $gte: after.createdAt },
            $and: [{ $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after._id } }] }],
          }),
        },
        { smsBatch: 1, createdAt: 1 },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(limit)
      .read('primary')
      .lean<PendingMessage[]>();
  }

  /**
   * Messages to a number that phones were handed and may not have sent, the latest first. Not those that are being pushed: if that fails, they
   * are due again, and stopped.
   */
  listHandedOver({ user }: AccountScope, peerNumber: string, limit: number): Promise<HandedMessage[]> {
    return this.messages
      .find(
        {
          ...{ user, peerNumber, ...NOT_SENT_YET },
          status: { $in: ['dispatched', 'unknown'] },
          cancelRequestedAt: { $exists: false },
        },
        { smsBatch: 1, device: 1 },
      )
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<HandedMessage[]>();
  }

  /** The batches of the last messages to a number, the latest first. */
  async listLastBatches(
    { user }: AccountScope,
    peerNumber: string,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ user, peerNumber, direction: 'sent' }, { smsBatch: 1 })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<Pick<Message, 'smsBatch'>[]>();
    return found.flatMap(({ smsBatch }) => smsBatch ?? []);
  }
}
