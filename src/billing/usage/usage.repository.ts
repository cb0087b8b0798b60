import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types, type UpdateWithAggregationPipeline } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { coalescedWrites, Coalescer } from '../../common/coalescer';
import { groupBy } from '../../common/group-by';
import { writeManyWithRetry } from '../../common/database-outage';
import { insertUnlessDuplicate, isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { type SingleUpdate, upsertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { type DayCharge, mergeCharges, sumOf } from './day-charge';
import { isUnlimited, Plan } from '../plans/plan.schema';
import { UsagePeriod } from './usage-period';
import { chargeUpdate, refundUpdate, withinLimits } from './usage-updates';
import { Usage } from './usage.schema';

/** More sends and cancellations than an account has in progress. */
const MAX_REMEMBERED_IDS = 1_000;

const MAX_ACCOUNTS_TO_CONFIRM = 10_000;

export interface UsageReservation {
  readonly user: Types.ObjectId;
  readonly batch: Types.ObjectId;
  readonly charges: readonly DayCharge[];
  readonly plan: Plan;
  /** The current period. */
  readonly period: UsagePeriod;
}

/** A message to count. */
type Increment = Pick<UsageReservation, 'user' | 'period'>;

@Injectable()
export class UsageRepository {
  private readonly reservationCoalescer = new Coalescer((reservations: readonly UsageReservation[]) =>
    this.reserveAll(reservations),
  );
  private readonly incrementCoalescer = coalescedWrites<Increment>((increments) =>
    this.incrementAll(increments),
  );

  /** Accepted batches, by account in hexadecimal: the next reservation of the account removes them from `reserved`. */
  private readonly confirmed = new Map<string, Types.ObjectId[]>();

  constructor(@InjectModel(Usage.name) private readonly usages: Model<Usage>) {}

  find(account: AccountScope): Promise<Usage | null> {
    return this.usages.findById(account.user).lean<Usage>();
  }

  /** Of several accounts, by account id in hexadecimal. */
  async findOfAccounts(ids: readonly Types.ObjectId[]): Promise<Map<string, Usage>> {
    const found = await this.usages.find({ _id: { $in: ids } }).lean<Usage[]>();
    return new Map(found.map((usage) => [usage._id.toHexString(), usage]));
  }

  /** Creates the record of an account, unless it exists. */
  async create(account: AccountScope, period: UsagePeriod): Promise<void> {
    const unused = { dayCount: 0, monthCount: 0, reserved: [], returned: [] };
    await insertUnlessDuplicate(this.usages, { _id: account.user, ...period, ...unused });
  }

  /**
   * Reserves the charges of a batch in one conditional write, so that concurrent sends never exceed a limit.
   * @returns false if a limit is exceeded, or the account has no record yet.
   */
  reserve(reservation: UsageReservation): Promise<boolean> {
    return this.reservationCoalescer.submit(reservation);
  }

  /** Counts a message regardless of limits. */
  increment({ user }: AccountScope, period: UsagePeriod): Promise<void> {
    return this.incrementCoalescer.submit({ user, period });
  }

  /**
   * Ends a reservation whose batch was accepted. Needs no write of its own, and may be lost: a reservation that nobody
   * releases only takes up room in `reserved`.
   */
  confirm({ user }: AccountScope, batch: Types.ObjectId): void {
    const key = user.toHexString();
    const batches = this.confirmed.get(key);
    if (batches) batches.push(batch);
    else this.confirmed.set(key, [batch]);
    const [oldest] = this.confirmed.keys();
    if (oldest !== undefined && this.confirmed.size > MAX_ACCOUNTS_TO_CONFIRM) this.confirmed.delete(oldest);
  }

  /** Releases a reservation; idempotent. */
  async release(account: AccountScope, batch: Types.ObjectId, charges: readonly DayCharge[]): Promise<void> {
    const others = { $filter: { input: '$reserved', cond: { $ne: ['$$this', batch] } } };
    const update = { ...refundUpdate(charges), reserved: others };
    await this.update(account, { reserved: batch }, [{ $set: update }]);
  }

  /** Refunds charges, once per cancellation. */
  async refund(
    account: AccountScope,
    cancellation: Types.ObjectId,
    charges: readonly DayCharge[],
  ): Promise<void> {
    const update = { ...refundUpdate(charges), returned: withRemembered('$returned', [cancellation]) };
    await this.update(account, { returned: { $ne: cancellation } }, [{ $set: update }]);
  }

  /**
   * Charges messages to another day, once per id, in one conditional write.
   * @returns false if a limit is exceeded, it was moved before, or the account has no record yet.
   */
  move(
    account: AccountScope,
    id: Types.ObjectId,
    { from, to }: { readonly from: readonly DayCharge[]; readonly to: DayCharge },
    plan: Plan,
    period: UsagePeriod,
  ): Promise<boolean> {
    const charge = { ...chargeUpdate([to], period), returned: withRemembered('$returned', [id]) };
    return this.update(account, { returned: { $ne: id }, ...withinLimits([to], plan) }, [
      { $set: refundUpdate(from) },
      { $set: charge },
    ]);
  }

  /** @returns whether the account matches the condition. */
  private async update(
    account: AccountScope,
    condition: QueryFilter<Usage>,
    stages: UpdateWithAggregationPipeline,
  ): Promise<boolean> {
    const filter = { ...condition, _id: account.user };
    const result = await this.usages.updateOne(filter, stages, { updatePipeline: true });
    return result.matchedCount === 1;
  }

  private async incrementAll(increments: readonly Increment[]): Promise<void> {
    const groups = groupBy(increments, ({ user, period }) => `${user.toHexString()} ${period.day}`);
    let updates = [...groups.values()].flatMap((group) => incrementUpdate(group) ?? []);
    while (updates.length > 0) {
      const failures = await upsertManyUnordered(this.usages, updates);
      for (const failure of failures) if (failure && !isDuplicateKey(failure)) throw failure;
      // Others created these records meanwhile.
      updates = updates.filter((_, index) => failures[index]);
    }
  }

  /** Reserves in one write for each account, or for all accounts without limits; what does not fit, one by one. */
  private async reserveAll(reservations: readonly UsageReservation[]): Promise<boolean[]> {
    const groups = groupBy(reservations, (reservation) => {
      const { user, plan, period } = reservation;
      const limits = [plan.dailyLimit, plan.monthlyLimit, period.day].join(' ');
      return isSharedWrite(reservation) ? limits : `${limits} ${user.toHexString()}`;
    });
    const granted = await Promise.all([...groups.values()].map((group) => this.reserveGroup(group)));
    const all = new Set(granted.flat());
    return reservations.map((reservation) => all.has(reservation));
  }

  /** @returns those that were reserved. */
  private async reserveGroup(group: readonly UsageReservation[]): Promise<UsageReservation[]> {
    const accounts = [...groupBy(group, ({ user }) => user.toHexString()).values()];
    const written = await this.writeReservations(accounts);
    if (written === accounts.length) return [...group];
    const batches = group.map(({ batch }) => batch);
    const stored = await this.usages
      .find({ _id: { $in: group.map(({ user }) => user) }, reserved: { $in: batches } }, { _id: 1 })
      .lean();
    const storedUsers = new Set(stored.map(({ _id }) => _id.toHexString()));
    const granted: UsageReservation[] = [];
    for (const reservation of group) {
      if (storedUsers.has(reservation.user.toHexString())) granted.push(reservation);
      else if (group.length > 1) granted.push(...(await this.reserveGroup([reservation])));
    }
    return granted;
  }

  /** @param accounts reservations with the same plan and period, by account. @returns the number of accounts written. */
  private async writeReservations(accounts: readonly (readonly UsageReservation[])[]): Promise<number> {
    const first = accounts[0]?.[0];
    if (!first) return 0;
    const { plan, period } = first;
    const charges = mergeCharges(accounts[0]?.flatMap((reservation) => reservation.charges) ?? []);
    const isOneAccount = accounts.length === 1;
    const perAccount = valuePerDocument(
      accounts,
      ([reservation = first]) => reservation.user,
      (reservations) => ({
        batches: reservations.map(({ batch }) => batch),
        confirmed: this.takeConfirmed(reservations[0] ?? first),
        count: sumOf(reservations.flatMap((reservation) => reservation.charges)),
      }),
    );
    const filter = {
      _id: { $in: accounts.map(([reservation = first]) => reservation.user) },
      // A retry must not charge twice.
      reserved: { $nin: accounts.flat().map(({ batch }) => batch) },
      ...(isOneAccount && withinLimits(charges, plan)),
    };
    const isConfirmed = { $in: ['$$this', '$reservation.confirmed'] };
    const unconfirmed = { $filter: { input: '$reserved', cond: { $not: [isConfirmed] } } };
    const write = () =>
      this.usages.updateMany(
        filter,
        [
          { $set: { reservation: perAccount } },
          {
            $set: {
              ...chargeUpdate(
                isOneAccount ? charges : [{ day: period.day, count: '$reservation.count' }],
                period,
              ),
              reserved: withRemembered(unconfirmed, '$reservation.batches'),
            },
          },
          { $unset: 'reservation' },
        ],
        { updatePipeline: true },
      );
    const { matchedCount } = await writeManyWithRetry(write);
    return matchedCount;
  }

  private takeConfirmed({ user }: UsageReservation): readonly Types.ObjectId[] {
    const key = user.toHexString();
    const confirmed = this.confirmed.get(key) ?? [];
    this.confirmed.delete(key);
    return confirmed;
  }
}

/** @param increments of one account and period. */
function incrementUpdate(increments: readonly Increment[]): SingleUpdate | undefined {
  const [first] = increments;
  if (!first) return undefined;
  const { user, period } = first;
  const fields = chargeUpdate([{ day: period.day, count: increments.length }], period);
  const arrays = { reserved: { $ifNull: ['$reserved', []] }, returned: { $ifNull: ['$returned', []] } };
  return { filter: { _id: user }, update: [{ $set: { ...fields, ...arrays } }] };
}

/** Whether it can share a write with other accounts: no limit has to hold, and the charges have the same fields. */
function isSharedWrite({ plan, charges, period }: UsageReservation): boolean {
  return isUnlimited(plan) && charges.every(({ day }) => day === period.day);
}

const withRemembered = (path: string | object, ids: readonly Types.ObjectId[] | string) => ({
  $slice: [{ $concatArrays: [path, ids] }, -MAX_REMEMBERED_IDS],
});
