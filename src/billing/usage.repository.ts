import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
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

@Injectable()
export class UsageRepository {
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
  async reserve(
    account: AccountScope,
    batch: Types.ObjectId,
    count: number,
    plan: Plan,
    period: UsagePeriod,
  ): Promise<boolean> {
    const result = await this.usages.updateOne(
      {
        _id: account.user,
        $and: [
          withinLimit('day', period, plan.dailyLimit, count),
          withinLimit('month', period, plan.monthlyLimit, count),
        ],
      },
      [
        {
          $set: {
            ...charge(count, period),
            reserved: { $slice: [{ $concatArrays: ['$reserved', [batch]] }, -REMEMBERED] },
          },
        },
      ],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
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

  /** Gives back a part of what a batch was charged, once however often it is asked. */
  async giveBack(
    account: AccountScope,
    batch: Types.ObjectId,
    count: number,
    period: UsagePeriod,
  ): Promise<void> {
    const returned = { $slice: [{ $concatArrays: ['$returned', [batch]] }, -REMEMBERED] };
    await this.usages.updateOne(
      { _id: account.user, returned: { $ne: batch } },
      [{ $set: { ...refund(count, period), returned } }],
      { updatePipeline: true },
    );
  }
}
