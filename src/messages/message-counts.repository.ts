import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch } from './batch.schema';
import { Direction, Message } from './message.schema';

/** From its first moment up to the one after its last. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Recipients of accepted batches, without those that were cancelled. */
export interface Charged {
  /** In the whole span. */
  all: number;
  /** In the part of it that was asked for. */
  part: number;
  /** How many batches are being cancelled at this moment. */
  cancelling: number;
}

export type UnsettledBatch = Pick<Batch, '_id' | 'acceptance' | 'recipientCount' | 'createdAt'>;

const EVER: Span = { from: new Date(0), to: new Date(8.64e15) };

/** Counts messages and batches from the records themselves. */
@Injectable()
export class MessageCountsRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** What devices have received, or sent with success, in a span of time. */
  countOfDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
    direction: Direction,
    { from, to }: Span = EVER,
  ): Promise<number> {
    return this.messages.countDocuments({
      user: account.user,
      device: devices.length === 1 ? devices[0] : { $in: devices },
      direction,
      countedAt: { $gte: from, $lt: to },
    });
  }

  /**
   * What batches of a span of time were charged.
   * @param excluded batches that are judged otherwise.
   */
  async sumCharged(
    account: AccountScope,
    span: Span,
    part: Span,
    excluded: readonly Types.ObjectId[],
  ): Promise<Charged> {
    const charged = { $subtract: ['$recipientCount', { $ifNull: ['$cancelledCount', 0] }] };
    const isInPart = { $and: [{ $gte: ['$createdAt', part.from] }, { $lt: ['$createdAt', part.to] }] };
    const [sum] = await this.batches.aggregate<Charged>([
      {
        $match: {
          user: account.user,
          createdAt: { $gte: span.from, $lt: span.to },
          acceptance: 'accepted',
          _id: { $nin: excluded },
        },
      },
      {
        $group: {
          _id: null,
          all: { $sum: charged },
          part: { $sum: { $cond: [isInPart, charged, 0] } },
          cancelling: { $sum: { $cond: [{ $eq: [{ $type: '$cancellingSince' }, 'missing'] }, 0, 1] } },
        },
      },
    ]);
    return sum ?? { all: 0, part: 0, cancelling: 0 };
  }

  /** How many messages, of all accounts, wait to be handed over; at most `limit`. */
  countPending(limit: number): Promise<number> {
    return this.messages.countDocuments({ status: 'pending', nextDispatchAt: { $gt: EVER.from } }, { limit });
  }

  /** How many messages, of all accounts, were handed over and not heard of since; at most `limit`. */
  countDispatched(limit: number): Promise<number> {
    return this.messages.countDocuments(
      { status: 'dispatched', dispatchedAt: { $gt: EVER.from } },
      { limit },
    );
  }

  /** Batches that are neither accepted nor cleaned up; few on all accounts together. */
  listUnsettled(account: AccountScope): Promise<UnsettledBatch[]> {
    return this.batches
      .find(
        { user: account.user, unsettledSince: { $gte: new Date(0) } },
        { acceptance: 1, recipientCount: 1, createdAt: 1 },
      )
      .hint({ unsettledSince: 1 })
      .lean<UnsettledBatch[]>();
  }

  /** Of these batches, those that are on record. */
  async findExisting(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    const found = await this.batches.find({ _id: { $in: ids }, user: account.user }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }
}
