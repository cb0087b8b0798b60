import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering } from '../common/gathering';
import { groupBy } from '../common/group-by';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { Plan, UNLIMITED } from './plan.schema';
import { UsagePeriod } from './usage-period';
import { Usage } from './usage.schema';

/** How many batches are remembered: more than most accounts send while a dead send waits to be cleaned up. */
export const REMEMBERED = 200;

const inPeriod = (field: 'day' | 'month', period: UsagePeriod) => ({ $eq: [`$${field}`, period[field]] });

/** Adds to both counters, which begin anew with their period. */
function charge(count: number, period: UsagePeriod): PipelineStage.Set['$set'] {
  return {
    dayCount: { $cond: [inPeriod('day', period), { $add: ['$dayCount', count] }, count] },
    monthCount: { $cond: [inPeriod('month', period), { $add: ['$monthCount', count] }, count] },
    day: period.day,
    month: period.month,
  };
}

/** Takes from the counters that still belong to the period which was charged. */
function refund(count: number, period: UsagePeriod): PipelineStage.Set['$set'] {
  const less = (field: string) => ({ $max: [0, { $subtract: [field, count] }] });
  return {
    dayCount: { $cond: [inPeriod('day', period), less('$dayCount'), '$dayCount'] },
    monthCount: { $cond: [inPeriod('month', period), less('$monthCount'), '$monthCount'] },
  };
}

/** The condition under which `count` more stay within a limit. */
function withinLimit(field: 'day' | 'month', period: UsagePeriod, limit: number, count: number) {
  if (limit === UNLIMITED) return {};
  return { $or: [{ [field]: { $ne: period[field] } }, { [`${field}Count`]: { $lte: limit - count } }] };
}

/** What a batch asks of its account's plan. */
export interface Reservation {
  readonly user: Types.ObjectId;
  readonly batch: Types.ObjectId;
  readonly count: number;
  readonly plan: Plan;
  readonly period: UsagePeriod;
}

@Injectable()
export class UsageRepository {
  private readonly reservations = new Gathering((asked: readonly Reservation[]) => this.reserveEach(asked));

  constructor(@InjectModel(Usage.name) private readonly usages: Model<Usage>) {}

  find(account: AccountScope): Promise<Usage | null> {
    return this.usages.findById(account.user).lean<Usage>();
  }

  /** Begins the record of an account; nothing happens when there is one. */
  async begin(account: AccountScope, period: UsagePeriod): Promise<void> {
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
   * Reserves for a batch, in one conditional write: any number at once never exceed a limit by one.
   * @returns false when a limit does not allow it, or the account has no record yet.
   */
  reserve(reservation: Reservation): Promise<boolean> {
    return this.reservations.ask(reservation);
  }

  /** Counts without asking for room. @returns false when the account has no record yet. */
  async count(account: AccountScope, count: number, period: UsagePeriod): Promise<boolean> {
    const result = await this.usages.updateOne({ _id: account.user }, [{ $set: charge(count, period) }], {
      updatePipeline: true,
    });
    return result.matchedCount === 1;
  }

  /** Takes a reservation back, if there was one and it was not taken back before. */
  async release(
    account: AccountScope,
    batch: Types.ObjectId,
    count: number,
    period: UsagePeriod,
  ): Promise<void> {
    const others = { $filter: { input: '$reserved', cond: { $ne: ['$$this', batch] } } };
    await this.usages.updateOne(
      { _id: account.user, reserved: batch },
      [{ $set: { ...refund(count, period), reserved: others } }],
      { updatePipeline: true },
    );
  }

  /** Gives back a part of what a batch was charged: once for each cancellation, however often it is asked. */
  async giveBack(
    account: AccountScope,
    cancellation: Types.ObjectId,
    count: number,
    period: UsagePeriod,
  ): Promise<void> {
    const returned = { $slice: [{ $concatArrays: ['$returned', [cancellation]] }, -REMEMBERED] };
    await this.usages.updateOne(
      { _id: account.user, returned: { $ne: cancellation } },
      [{ $set: { ...refund(count, period), returned } }],
      { updatePipeline: true },
    );
  }

  /** All of an account in one write, as if they were one; only where they do not fit together each for itself. */
  private async reserveEach(asked: readonly Reservation[]): Promise<boolean[]> {
    const groups = groupBy(asked, ({ user, plan, period }) =>
      [user.toHexString(), plan.dailyLimit, plan.monthlyLimit, period.day].join(' '),
    );
    const granted = new Set<Reservation>();
    await Promise.all(
      [...groups.values()].map(async (group) => {
        if (await this.reserveTogether(group)) for (const reservation of group) granted.add(reservation);
        else if (group.length > 1) {
          for (const reservation of group) {
            if (await this.reserveTogether([reservation])) granted.add(reservation);
          }
        }
      }),
    );
    return asked.map((reservation) => granted.has(reservation));
  }

  private async reserveTogether(group: readonly Reservation[]): Promise<boolean> {
    const [first] = group;
    if (!first) return true;
    const { user, plan, period } = first;
    const count = group.reduce((sum, reservation) => sum + reservation.count, 0);
    const batches = group.map(({ batch }) => batch);
    const result = await this.usages.updateOne(
      {
        _id: user,
        $and: [
          withinLimit('day', period, plan.dailyLimit, count),
          withinLimit('month', period, plan.monthlyLimit, count),
        ],
      },
      [
        {
          $set: {
            ...charge(count, period),
            reserved: { $slice: [{ $concatArrays: ['$reserved', batches] }, -REMEMBERED] },
          },
        },
      ],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
  }
}
