import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batch } from './batch.schema';
import { Direction, Message } from './message.schema';

/** `from` is inclusive, `to` exclusive. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/** Recipients of accepted batches, less those cancelled. */
export interface Charged {
  /** In the whole range. */
  all: number;
  /** In the sub-range `part`. */
  part: number;
  /** Number of batches being cancelled. */
  cancelling: number;
}

export type UnsettledBatch = Pick<
  Batch,
  '_id' | 'acceptance' | 'recipientCount' | 'chargedDays' | 'createdAt'
>;

const ALL_TIME: Span = { from: new Date(0), to: new Date(8.64e15) };

/** Sends are scheduled at most 30 days ahead. */
const MAX_SCHEDULE_AHEAD_MS = 31 * 86_400_000;

/** Counts stored messages and batches. */
@Injectable()
export class MessageCountsRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Counts the messages that devices received, or sent successfully, in a time range. */
  countOfDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
    direction: Direction,
    { from, to }: Span = ALL_TIME,
  ): Promise<number> {
    return this.messages.countDocuments({
      user: account.user,
      device: devices.length === 1 ? devices[0] : { $in: devices },
      direction,
      countedAt: { $gte: from, $lt: to },
    });
  }

  /**
   * Sums the charges of accepted batches without `chargedDays` in a time range and in its sub-range `part`.
   * @param excluded batches to leave out.
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

  /** Sums the charges of batches with `chargedDays`, by UTC day. */
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

  /** Counts pending messages of all accounts, up to `limit`. */
  countPending(limit: number): Promise<number> {
    return this.messages.countDocuments(
      { status: 'pending', nextDispatchAt: { $gt: ALL_TIME.from } },
      { limit },
    );
  }

  /** Counts messages of all accounts that were dispatched and not reported on, up to `limit`. */
  countDispatched(limit: number): Promise<number> {
    return this.messages.countDocuments(
      { status: 'dispatched', dispatchedAt: { $gt: ALL_TIME.from } },
      { limit },
    );
  }

  /** Lists batches that are neither accepted nor cleaned up. */
  listUnsettled(account: AccountScope): Promise<UnsettledBatch[]> {
    return this.batches
      .find(
        { user: account.user, unsettledSince: { $gte: new Date(0) } },
        { acceptance: 1, recipientCount: 1, chargedDays: 1, createdAt: 1 },
      )
      .hint({ unsettledSince: 1 })
      .lean<UnsettledBatch[]>();
  }

  /** Returns which of these batches exist. */
  async findExisting(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    const found = await this.batches.find({ _id: { $in: ids }, user: account.user }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }
}

function chargedBatches(account: AccountScope, { from, to }: Span, excluded: readonly Types.ObjectId[]) {
  return {
    user: account.user,
    createdAt: { $gte: new Date(from.getTime() - MAX_SCHEDULE_AHEAD_MS), $lt: to },
    acceptance: 'accepted' as const,
    _id: { $nin: excluded },
  };
}
