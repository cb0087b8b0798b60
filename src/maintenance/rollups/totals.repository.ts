import { Injectable } from '@nestjs/common';
import { InjectConnection, InjectModel } from '@nestjs/mongoose';
import { Connection, Model, mongo, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { BatchLoader } from '../../common/batcher';
import {
  type CountedSpan,
  countByHour,
  dayIncrements,
  dayOf,
  type HourCount,
  hoursOf,
  sumOf,
} from './counts';
import { createInitialTotals, insertMissing } from './initial-totals';
import { COUNT_KINDS, DayCounts, dayCountsId, Totals } from './totals.schema';

/** Messages of a device that are not part of its stored totals. */
export interface OpenCount {
  readonly device?: Types.ObjectId;
  readonly direction: 'sent' | 'received';
  readonly count: number;
}

type AccountSums = Pick<Totals, 'through' | 'sent' | 'received'>;

/** Stores totals and counts the messages that are not part of them yet. */
@Injectable()
export class TotalsRepository {
  private readonly sums = new BatchLoader(String, (users: readonly Types.ObjectId[]) => this.readSums(users));

  constructor(
    @InjectModel(Totals.name) private readonly totals: Model<Totals>,
    @InjectModel(DayCounts.name) private readonly days: Model<DayCounts>,
    @InjectConnection() private readonly connection: Connection,
  ) {}

  private get messages() {
    return this.connection.collection('messages');
  }

  private get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  /** The stored totals of an account and of its devices. */
  list(account: AccountScope): Promise<Totals[]> {
    return this.totals.find({ user: account.user }).lean<Totals[]>();
  }

  /** The stored totals of these devices, or of the account itself. */
  find(account: AccountScope, owners: readonly Types.ObjectId[]): Promise<Totals[]> {
    return this.totals.find({ _id: { $in: [...owners] }, user: account.user }).lean<Totals[]>();
  }

  /** The stored totals of an account, without its hours. Concurrent reads are batched. */
  findSums({ user }: AccountScope): Promise<AccountSums | null> {
    return this.sums.load(user);
  }

  /** Counts the messages sent and received, by device. */
  async countOpen(
    { user }: AccountScope,
    from: Date,
    devices?: readonly Types.ObjectId[],
  ): Promise<OpenCount[]> {
    const found = await this.messages
      .aggregate<{
        _id: { device?: Types.ObjectId; direction: 'sent' | 'received' };
        count: number;
      }>(
        [
          { $match: { user, countedAt: { $gte: from }, ...(devices && { device: { $in: devices } }) } },
          { $group: { _id: { device: '$device', direction: '$direction' }, count: { $sum: 1 } } },
        ],
        // Otherwise the database may read all messages of the devices. Without devices a hint would only cost time.
        devices && { hint: { user: 1, countedAt: 1 } },
      )
      .toArray();
    return found.map(({ _id, count }) => ({ ..._id, count }));
  }

  /** Counts messages by device, kind, and the hour in which they were counted. */
  countByHour({ user }: AccountScope, span: CountedSpan): Promise<HourCount[]> {
    return countByHour(this.messages, user, span);
  }

  /** Lists those of these accounts that have a message first counted as received or sent in this span. */
  async listActiveAccounts(
    users: readonly Types.ObjectId[],
    { from, to }: CountedSpan,
  ): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .aggregate<{ _id: Types.ObjectId }>([
        { $match: { user: { $in: users }, countedAt: { $gte: from, $lt: to } } },
        { $group: { _id: '$user' } },
      ])
      .toArray();
    return found.map(({ _id }) => _id);
  }

  /**
   * Adds the counts up to `to`, to each document once: a document that another process has advanced stays unchanged.
   * @param counts the counts up to `to` that are not part of it, by owner.
   * @returns false if any document stays unchanged.
   */
  async advance(
    totals: readonly Totals[],
    to: Date,
    counts: (owner: Totals) => readonly HourCount[],
  ): Promise<boolean> {
    if (totals.length === 0) return true;
    const writes = totals.map((owner) => {
      const own = counts(owner);
      const added = { sent: sumOf(own, 'sent'), received: sumOf(own, 'received'), ...dayIncrements(own) };
      return {
        updateOne: {
          filter: { _id: owner._id, user: owner.user, through: owner.through },
          update: { $inc: added, $set: { through: to } },
        },
      };
    });
    const advanced = await retryOnDeadlock(() =>
      this.totals.collection.bulkWrite(writes, { ordered: false }),
    );
    return advanced.matchedCount === writes.length;
  }

  /** Moves the days that are over to their own documents. Every step can be repeated. */
  async storeFinishedDays({ _id, user, through, days = {} }: Totals): Promise<void> {
    const finished = Object.entries(days).filter(([day]) => day < dayOf(through));
    if (finished.length === 0) return;
    const writes = finished.map(([day, counts]) => ({
      updateOne: {
        filter: { _id: dayCountsId(_id, day) },
        update: {
          $set: { user, ...Object.fromEntries(COUNT_KINDS.map((kind) => [kind, hoursOf(counts, kind)])) },
        },
        upsert: true,
      },
    }));
    await this.days.bulkWrite(writes, { ordered: false });
    const unset = Object.fromEntries(finished.map(([day]) => [`days.${day}`, 1 as const]));
    await this.totals.updateOne({ _id, user }, { $unset: unset });
  }

  /** The stored days of a device or an account, from `first` to `last`. @param isDaily adds up the hours of a day. */
  listDays(owner: Types.ObjectId, first: string, last: string, isDaily: boolean): Promise<DayCounts[]> {
    const $match = { _id: { $gte: dayCountsId(owner, first), $lte: dayCountsId(owner, last) } };
    const sums = COUNT_KINDS.map((kind) => [kind, isDaily ? [{ $sum: `$${kind}` }] : 1]);
    return this.days.aggregate<DayCounts>([{ $match }, { $project: Object.fromEntries(sums) as object }]);
  }

  /** Creates the totals of an account and its devices, unless the account has some or has no device. */
  async createInitial({ user }: AccountScope): Promise<void> {
    await createInitialTotals(this.db, user);
  }

  /** Stores totals. Those of an owner that has some already stay unchanged. */
  async insertMissing(totals: readonly Totals[]): Promise<void> {
    await insertMissing(this.db.collection<Totals>('totals'), totals);
  }

  private async readSums(users: readonly Types.ObjectId[]): Promise<ReadonlyMap<string, AccountSums>> {
    const found = await this.totals
      .find({ _id: { $in: users } }, { through: 1, sent: 1, received: 1 })
      .lean<(AccountSums & Pick<Totals, '_id'>)[]>();
    return new Map(found.map((totals) => [totals._id.toHexString(), totals]));
  }
}

const MAX_ATTEMPTS = 5;

/** DocumentDB aborts one of two writes that lock the same documents in different orders. */
async function retryOnDeadlock<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (failure) {
      const isDeadlock = failure instanceof mongo.MongoServerError && /deadlock/i.test(failure.message);
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw failure;
    }
  }
}
