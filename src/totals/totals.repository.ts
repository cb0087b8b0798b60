import { Injectable } from '@nestjs/common';
import { InjectConnection, InjectModel } from '@nestjs/mongoose';
import { Connection, Model, Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { groupBy } from '../common/group-by';
import { writeUnlessDuplicate } from '../infrastructure/mongo/duplicate-key';
import { OwnedLoader } from '../infrastructure/mongo/owned-loader';
import {
  type CountKind,
  DayCounts,
  dayCountsId,
  type HourCount,
  type MessageTotals,
  Totals,
} from './totals.schema';

const EPOCH = new Date(0);
/** Messages that were cancelled, or not sent to blocked recipients, have failed for programs, but are counted apart. */
const FINAL_KIND = {
  $switch: {
    branches: [
      { case: { $eq: ['$errorCode', 'CANCELLED'] }, then: 'cancelled' },
      { case: { $eq: ['$errorCode', 'SUPPRESSED'] }, then: 'suppressed' },
    ],
    default: '$status',
  },
};
const EMPTY = { through: EPOCH, sent: 0, received: 0 };

/** Stores totals and counts the messages that are not part of them yet. */
@Injectable()
export class TotalsRepository {
  private readonly sums = new OwnedLoader<Totals>((users) =>
    this.totals.find({ _id: { $in: users } }, { lastPeriod: 0 }).lean<Totals[]>(),
  );

  constructor(
    @InjectModel(Totals.name) private readonly totals: Model<Totals>,
    @InjectModel(DayCounts.name) private readonly days: Model<DayCounts>,
    @InjectConnection() private readonly connection: Connection,
  ) {}

  /** The totals of an account; `lastPeriod` is not read. Concurrent reads are batched. */
  async findSums({ user }: AccountScope): Promise<Totals> {
    return (await this.sums.load({ user }, user)) ?? { _id: user, user, ...EMPTY };
  }

  async find({ user }: AccountScope): Promise<Totals> {
    return (await this.totals.findOne({ _id: user }).lean<Totals>()) ?? { _id: user, user, ...EMPTY };
  }

  listOfDevices({ user }: AccountScope, devices: readonly Types.ObjectId[]): Promise<Totals[]> {
    return this.totals.find({ _id: { $in: devices }, user }).lean<Totals[]>();
  }

  listDays(owner: Types.ObjectId, from: Date, to: Date): Promise<DayCounts[]> {
    const _id = { $gte: dayCountsId(owner, from), $lte: dayCountsId(owner, to) };
    return this.days.find({ _id }).lean<DayCounts[]>();
  }

  countSince(account: AccountScope, from: Date, devices?: readonly Types.ObjectId[]): Promise<HourCount[]> {
    return this.count(account, 'countedAt', { $gte: from }, devices);
  }

  /** Counts messages as every kind, by device and hour. @param to exclusive. */
  async countAll(account: AccountScope, from: Date, to: Date): Promise<HourCount[]> {
    const span = { $gte: from, $lt: to };
    const sentAndReceived = this.count(account, 'countedAt', span);
    return (await Promise.all([sentAndReceived, this.count(account, 'finalCountedAt', span)])).flat();
  }

  /** Lists those of these accounts that received or sent messages between two times of the database. */
  async listActive(users: readonly Types.ObjectId[], from: Date, to: Date): Promise<Types.ObjectId[]> {
    const $match = { user: { $in: users }, countedAt: { $gte: from, $lt: to } };
    const messages = this.connection.collection('messages');
    const found = messages.aggregate<Pick<Totals, '_id'>>([{ $match }, { $group: { _id: '$user' } }]);
    return (await found.toArray()).map(({ _id }) => _id);
  }

  /** Closes a period of an account, unless another process has closed it. @param lastPeriod its counts. */
  async closePeriod({ _id, user, through }: Totals, to: Date, lastPeriod: HourCount[]): Promise<void> {
    const update = { $inc: sumsOf(lastPeriod), $set: { through: to, lastPeriod } };
    const upsert = through.getTime() === EPOCH.getTime();
    const write = { updateOne: { filter: { _id, user, through }, update, upsert } };
    await writeUnlessDuplicate(this.totals.collection, [write]);
  }

  /** Adds the last period of an account to its devices and to days, unless they include it already. */
  async addLastPeriod({ user, through, lastPeriod = [] }: Totals): Promise<void> {
    const ofDevices = lastPeriod.filter(({ device }) => device);
    const ofOwners = [...ofDevices, ...lastPeriod.map((count) => ({ ...count, device: user }))];
    const devices = groupBy(ofDevices, ({ device }) => String(device));
    const days = groupBy(ofOwners, ({ device = user, hour }) => dayCountsId(device, hour));
    const write = (_id: Types.ObjectId | string, $inc: Readonly<Record<string, number>>) => {
      // Documents that include the period do not match, and cannot be inserted again.
      const filter = { _id, through: { $not: { $gte: through } } };
      return { updateOne: { filter, update: { $inc, $set: { user, through } }, upsert: true } };
    };
    const totals = [...devices].map(([id, counts]) => write(new Types.ObjectId(id), sumsOf(counts)));
    await writeUnlessDuplicate(this.totals.collection, totals);
    const hours = [...days].map(([id, counts]) => write(id, hoursOf(counts)));
    await writeUnlessDuplicate(this.days.collection, hours);
  }

  private async count(
    { user }: AccountScope,
    time: 'countedAt' | 'finalCountedAt',
    span: object,
    devices?: readonly Types.ObjectId[],
  ): Promise<HourCount[]> {
    const $match = { user, [time]: span, ...(devices && { device: { $in: devices } }) };
    const kind = time === 'countedAt' ? '$direction' : FINAL_KIND;
    const hour = { $dateTrunc: { date: `$${time}`, unit: 'hour' } };
    const $group = { _id: { device: '$device', kind, hour }, count: { $sum: 1 } };
    // Otherwise the database may read all messages of the devices. Without devices a hint would only cost time.
    const options = devices && { hint: { user: 1, [time]: 1 } };
    const found = await this.connection
      .collection('messages')
      .aggregate<{ _id: Omit<HourCount, 'count'>; count: number }>([{ $match }, { $group }], options)
      .toArray();
    return found.map(({ _id, count }) => ({ ..._id, count }));
  }
}

export function sumsOf(counts: HourCount[] = [], { sent, received }: MessageTotals = EMPTY): MessageTotals {
  const of = (kind: CountKind) =>
    counts.reduce((sum, each) => sum + (each.kind === kind ? each.count : 0), 0);
  return { sent: sent + of('sent'), received: received + of('received') };
}

/** The counts of a day as paths in `DayCounts`. */
function hoursOf(counts: readonly HourCount[]): Record<string, number> {
  const hours: Record<string, number> = {};
  for (const { kind, hour, count } of counts) {
    const path = `counts.${kind}.${hour.getUTCHours()}`;
    hours[path] = (hours[path] ?? 0) + count;
  }
  return hours;
}
