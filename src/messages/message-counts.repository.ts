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

export type UnsettledBatch = Pick<
  Batch,
  '_id' | 'acceptance' | 'recipientCount' | 'chargedDays' | 'createdAt'
>;

const EVER: Span = { from: new Date(0), to: new Date(8.64e15) };

/** No send is scheduled further ahead than 30 days. */
const SCHEDULED_AHEAD_MS = 31 * 86_400_000;

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
    const isIn = ({ from, to }: Span) => ({
      $and: [
        { $eq: [{ $type: '$chargedDays' }, 'missing'] },
        { $gte: ['$createdAt', from] },
        { $lt: ['$createdAt', to] },
      ],
    });
    const [sum] = await this.batches.aggregate<Charged>([
      { $match: chargedBatches(account, span, excluded) },
      {
        $group: {
          _id: null,
          all: { $sum: { $cond: [isIn(span), charged, 0] } },
          part: { $sum: { $cond: [isIn(part), charged, 0] } },
          cancelling: { $sum: { $cond: [{ $eq: [{ $type: '$cancellingSince' }, 'missing'] }, 0, 1] } },
        },
      },
    ]);
    return sum ?? { all: 0, part: 0, cancelling: 0 };
  }

  /** What batches that are charged to several days, or to a later one, are charged, by day; for batches as above. */
  async sumScheduled(
    account: AccountScope,
    span: Span,
    excluded: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, number>> {
    const days = await this.batches.aggregate<{ _id: string; count: number }>([
      { $match: { ...chargedBatches(account, span, excluded), chargedDays: { $exists: true } } },
      { $project: { days: { $objectToArray: '$chargedDays' } } },
      { $unwind: '$days' },
      { $group: { _id: '$days.k', count: { $sum: '$days.v' } } },
    ]);
    return new Map(days.map(({ _id, count }) => [_id, count]));
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
        { acceptance: 1, recipientCount: 1, chargedDays: 1, createdAt: 1 },
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

/** Accepted batches that can be charged to a span: what is sent in it was requested at most a month before. */
function chargedBatches(account: AccountScope, { from, to }: Span, excluded: readonly Types.ObjectId[]) {
  return {
    user: account.user,
    createdAt: { $gte: new Date(from.getTime() - SCHEDULED_AHEAD_MS), $lt: to },
    acceptance: 'accepted' as const,
    _id: { $nin: excluded },
  };
}
