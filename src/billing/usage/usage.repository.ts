import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Batcher } from '../../common/batcher';
import { groupBy } from '../../common/group-by';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { type DayCharge, sumOf } from './day-charge';
import { Plan } from '../plans/plan.schema';
import { UsagePeriod } from './usage-period';
import { chargeUpdate, refundUpdate, withinLimits } from './usage-updates';
import { Usage } from './usage.schema';

/** More than most accounts send before the sweeper cleans up an interrupted send. */
const MAX_REMEMBERED_IDS = 200;

export interface Reservation {
  readonly user: Types.ObjectId;
  readonly batch: Types.ObjectId;
  readonly charges: readonly DayCharge[];
  readonly plan: Plan;
  /** The current period. */
  readonly period: UsagePeriod;
}

@Injectable()
export class UsageRepository {
  private readonly reservationBatcher = new Batcher((reservations: readonly Reservation[]) =>
    this.reserveAll(reservations),
  );

  constructor(@InjectModel(Usage.name) private readonly usages: Model<Usage>) {}

  find(account: AccountScope): Promise<Usage | null> {
    return this.usages.findById(account.user).lean<Usage>();
  }

  /** Creates the record of an account, unless it exists. */
  async create(account: AccountScope, period: UsagePeriod): Promise<void> {
    const usage: Usage = {
      _id: account.user,
      ...period,
      dayCount: 0,
      monthCount: 0,
      reserved: [],
      returned: [],
    };
    try {
      await this.usages.insertMany([usage], { lean: true });
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
    }
  }

  /**
   * Reserves the charges of a batch in one conditional write, so that concurrent sends never exceed a limit.
   * @returns false if a limit is exceeded, or the account has no record yet.
   */
  reserve(reservation: Reservation): Promise<boolean> {
    return this.reservationBatcher.submit(reservation);
  }

  /** Counts messages regardless of limits. @returns false if the account has no record yet. */
  async increment(account: AccountScope, count: number, period: UsagePeriod): Promise<boolean> {
    const charges = [{ day: period.day, count }];
    const result = await this.usages.updateOne(
      { _id: account.user },
      [{ $set: chargeUpdate(charges, period) }],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
  }

  /** Releases a reservation; idempotent. */
  async release(account: AccountScope, batch: Types.ObjectId, charges: readonly DayCharge[]): Promise<void> {
    const others = { $filter: { input: '$reserved', cond: { $ne: ['$$this', batch] } } };
    await this.usages.updateOne(
      { _id: account.user, reserved: batch },
      [{ $set: { ...refundUpdate(charges), reserved: others } }],
      { updatePipeline: true },
    );
  }

  /** Refunds charges, once per cancellation. */
  async refund(
    account: AccountScope,
    cancellation: Types.ObjectId,
    charges: readonly DayCharge[],
  ): Promise<void> {
    const returned = { $slice: [{ $concatArrays: ['$returned', [cancellation]] }, -MAX_REMEMBERED_IDS] };
    await this.usages.updateOne(
      { _id: account.user, returned: { $ne: cancellation } },
      [{ $set: { ...refundUpdate(charges), returned } }],
      { updatePipeline: true },
    );
  }

  /** Reserves for each account in one write; if they do not fit, one by one. */
  private async reserveAll(reservations: readonly Reservation[]): Promise<boolean[]> {
    const groups = groupBy(reservations, ({ user, plan, period }) =>
      [user.toHexString(), plan.dailyLimit, plan.monthlyLimit, period.day].join(' '),
    );
    const granted = new Set<Reservation>();
    await Promise.all(
      [...groups.values()].map(async (group) => {
        if (await this.reserveGroup(group)) for (const reservation of group) granted.add(reservation);
        else if (group.length > 1) {
          for (const reservation of group) {
            if (await this.reserveGroup([reservation])) granted.add(reservation);
          }
        }
      }),
    );
    return reservations.map((reservation) => granted.has(reservation));
  }

  private async reserveGroup(group: readonly Reservation[]): Promise<boolean> {
    const [first] = group;
    if (!first) return true;
    const { user, plan, period } = first;
    const charges = mergeByDay(group.flatMap((reservation) => reservation.charges));
    const batches = group.map(({ batch }) => batch);
    const result = await this.usages.updateOne(
      {
        _id: user,
        ...withinLimits(charges, plan),
      },
      [
        {
          $set: {
            ...chargeUpdate(charges, period),
            reserved: { $slice: [{ $concatArrays: ['$reserved', batches] }, -MAX_REMEMBERED_IDS] },
          },
        },
      ],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
  }
}

function mergeByDay(charges: readonly DayCharge[]): DayCharge[] {
  const days = groupBy(charges, ({ day }) => day);
  return [...days].map(([day, ofDay]) => ({ day, count: sumOf(ofDay) }));
}
