import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering } from '../common/gathering';
import { groupBy } from '../common/group-by';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { type DayCharge, sumOf } from './day-charge';
import { Plan } from './plan.schema';
import { UsagePeriod } from './usage-period';
import { chargeUpdate, refundUpdate, withinLimits } from './usage-updates';
import { Usage } from './usage.schema';

/** How many batches are remembered: more than most accounts send while a dead send waits to be cleaned up. */
export const REMEMBERED = 200;

/** What a batch asks of its account's plan. */
export interface Reservation {
  readonly user: Types.ObjectId;
  readonly batch: Types.ObjectId;
  readonly charges: readonly DayCharge[];
  readonly plan: Plan;
  /** When it is charged. */
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
    const charges = [{ day: period.day, count }];
    const result = await this.usages.updateOne(
      { _id: account.user },
      [{ $set: chargeUpdate(charges, period) }],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
  }

  /** Takes a reservation back, if there was one and it was not taken back before. */
  async release(account: AccountScope, batch: Types.ObjectId, charges: readonly DayCharge[]): Promise<void> {
    const others = { $filter: { input: '$reserved', cond: { $ne: ['$$this', batch] } } };
    await this.usages.updateOne(
      { _id: account.user, reserved: batch },
      [{ $set: { ...refundUpdate(charges), reserved: others } }],
      { updatePipeline: true },
    );
  }

  /** Gives back a part of what a batch was charged: once for each cancellation, however often it is asked. */
  async giveBack(
    account: AccountScope,
    cancellation: Types.ObjectId,
    charges: readonly DayCharge[],
  ): Promise<void> {
    const returned = { $slice: [{ $concatArrays: ['$returned', [cancellation]] }, -REMEMBERED] };
    await this.usages.updateOne(
      { _id: account.user, returned: { $ne: cancellation } },
      [{ $set: { ...refundUpdate(charges), returned } }],
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
    const charges = together(group.flatMap((reservation) => reservation.charges));
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
            reserved: { $slice: [{ $concatArrays: ['$reserved', batches] }, -REMEMBERED] },
          },
        },
      ],
      { updatePipeline: true },
    );
    return result.matchedCount === 1;
  }
}

/** Charges of several batches as one of each day. */
function together(charges: readonly DayCharge[]): DayCharge[] {
  const days = groupBy(charges, ({ day }) => day);
  return [...days].map(([day, ofDay]) => ({ day, count: sumOf(ofDay) }));
}
