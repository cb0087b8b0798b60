import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { CoalescedLoader } from '../../common/coalescer';
import { MINUTE_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { OwnedLoader } from '../../infrastructure/mongo/owned-loader';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { simEvent } from './sim-event';
import type { ReachedLimit } from './limits/reached-limits';
import { SimRecord } from './schemas/sim.schema';

/** A decision about waiting messages that does not know of a change yet is stored after this time at the latest. */
const REVIEW_GRACE_MS = MINUTE_MS;

/** Most of the health is only for `SimHealthRepository`: up to 6 kB that each dispatch would read. */
const WITHOUT_HEALTH_DETAILS = {
  'health.deliveries': 0,
  'health.failing': 0,
  'health.silent': 0,
  'health.awaited': 0,
} as const;

/** Decoding more documents at once delays other requests; fewer take more commands. */
const DECODED_AT_ONCE = 200;

/** Fields to write and to remove, by path. */
export interface SimUpdate {
  readonly set: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
}

/** Marks a SIM so that its waiting messages are decided on again, now and once more after decisions in progress. */
export const reviewFields = (now: Date) => ({
  reviewDueAt: now,
  reviewUntil: new Date(now.getTime() + REVIEW_GRACE_MS),
});

@Injectable()
export class SimsRepository {
  private readonly presentLoader = new CoalescedLoader(
    (device: Types.ObjectId) => device.toHexString(),
    (devices: readonly Types.ObjectId[]) => this.findPresent(devices),
  );

  private readonly loader = new OwnedLoader((ids) => this.readMany(ids));

  constructor(
    @InjectModel(SimRecord.name) private readonly sims: Model<SimRecord>,
    private readonly hints: LiveHints,
  ) {}

  async listPresent({ user }: AccountScope, device: Types.ObjectId): Promise<SimRecord[]> {
    return ((await this.presentLoader.load(device)) ?? []).filter((sim) => sim.user.equals(user));
  }

  /** The SIMs in phones of all accounts, by device. */
  async findPresent(devices: readonly Types.ObjectId[]): Promise<Map<string, SimRecord[]>> {
    const found = await this.sims
      .find({ device: { $in: devices }, isPresent: true }, WITHOUT_HEALTH_DETAILS)
      .batchSize(DECODED_AT_ONCE)
      .lean<SimRecord[]>();
    return groupBy(found, ({ device }) => String(device));
  }

  /** Of the SIMs in phones of all accounts, those with limits or with a breaker: no other can be the cause of a problem. */
  findNotable(devices: readonly Types.ObjectId[]): Promise<SimRecord[]> {
    return this.sims
      .find(
        {
          device: { $in: devices },
          isPresent: true,
          $or: [{ limits: { $exists: true } }, { 'health.breaker': { $exists: true } }],
        },
        WITHOUT_HEALTH_DETAILS,
      )
      .batchSize(DECODED_AT_ONCE)
      .lean<SimRecord[]>();
  }

  list(account: AccountScope): Promise<SimRecord[]> {
    return this.sims
      .find({ user: account.user }, WITHOUT_HEALTH_DETAILS)
      .batchSize(DECODED_AT_ONCE)
      .lean<SimRecord[]>();
  }

  listByKeys(account: AccountScope, keys: readonly string[]): Promise<SimRecord[]> {
    return this.sims
      .find({ user: account.user, key: { $in: keys } }, WITHOUT_HEALTH_DETAILS)
      .lean<SimRecord[]>();
  }

  findMany(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<SimRecord[]> {
    return this.loader.loadMany(account, ids);
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<SimRecord | null> {
    return this.sims.findOne({ _id: id, user: account.user }, WITHOUT_HEALTH_DETAILS).lean<SimRecord>();
  }

  /** Finds the SIM that was last in a phone under a subscription id. */
  findBySubscription(
    account: AccountScope,
    device: Types.ObjectId,
    subscriptionId: number,
  ): Promise<SimRecord | null> {
    return this.sims
      .findOne({ user: account.user, device, subscriptionId }, WITHOUT_HEALTH_DETAILS)
      .sort({ seenAt: -1 })
      .lean<SimRecord>();
  }

  /** @returns false if the account has a SIM with this key. */
  async insert(sim: SimRecord): Promise<boolean> {
    const isInserted = await insertUnlessDuplicate(this.sims, sim);
    if (isInserted) this.hints.publish(sim, 'sim', [sim._id]);
    return isInserted;
  }

  /**
   * Writes what a phone reports, unless a later report was stored.
   * @returns false if another SIM of the account has the key.
   */
  storeReport(
    account: AccountScope,
    id: Types.ObjectId,
    set: Readonly<Record<string, unknown>>,
    now: Date,
  ): Promise<boolean> {
    return ifDuplicate(false, async () => {
      await this.sims.updateOne(
        { _id: id, user: account.user, seenAt: { $lte: now } },
        { $set: { ...set, seenAt: now, updatedAt: now } },
      );
      this.hints.publish(account, 'sim', [id]);
      return true;
    });
  }

  /** Marks SIMs that a phone does not report any more, unless a later report was stored. */
  async markAbsent(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<void> {
    await this.sims.updateMany(
      { _id: { $in: ids }, user: account.user, device, seenAt: { $lte: now } },
      { $set: { isPresent: false, seenAt: now, updatedAt: now } },
    );
    this.hints.publish(account, 'sim', ids);
  }

  /** Changes a SIM. @returns null if the account has no such SIM. */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    { set, unset = [] }: SimUpdate,
    now: Date,
  ): Promise<SimRecord | null> {
    const updated = await this.sims
      .findOneAndUpdate(
        { _id: id, user: account.user },
        {
          $set: { ...set, updatedAt: now },
          ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, 1])) }),
        },
        { returnDocument: 'after', projection: WITHOUT_HEALTH_DETAILS },
      )
      .lean<SimRecord>();
    this.hints.publish(account, 'sim', [id]);
    return updated;
  }

  async remove(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<void> {
    await this.sims.deleteMany({ _id: { $in: ids }, user: account.user });
    this.hints.publish(account, 'sim', ids);
  }

  /** Takes SIMs out of a deleted phone. */
  async detach(account: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.sims.updateMany(
      { _id: { $in: ids }, user: account.user },
      { $set: { isPresent: false, updatedAt: now }, $unset: { device: 1 } },
    );
    this.hints.publish(account, 'sim', ids);
  }

  /** Marks SIMs of all accounts so that their waiting messages are decided on again. */
  async markForReview(ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.sims.updateMany({ _id: { $in: ids } }, { $set: reviewFields(now) });
  }

  /** SIMs of all accounts whose waiting messages are due to be decided on again. */
  listReviewDue(now: Date, limit: number): Promise<SimRecord[]> {
    return this.sims
      .find({ reviewDueAt: atOrBefore(now) }, WITHOUT_HEALTH_DETAILS)
      .sort({ reviewDueAt: 1 })
      .limit(limit)
      .lean<SimRecord[]>();
  }

  /** Records a review of a SIM that was listed, and schedules the last one, unless it has changed since. */
  async finishReview({ _id, user, reviewDueAt, reviewUntil }: SimRecord): Promise<void> {
    const isLast = !reviewUntil || !reviewDueAt || reviewDueAt >= reviewUntil;
    await this.sims.updateOne(
      { _id, user, reviewDueAt },
      isLast ? { $unset: { reviewDueAt: 1, reviewUntil: 1 } } : { $set: { reviewDueAt: reviewUntil } },
    );
  }

  /** Raises the event of a limit that holds messages back, once for each period, however many processes notice it. */
  async raiseLimitReached(
    sim: SimRecord,
    { limit, value, resetsAt }: ReachedLimit,
    now: Date,
  ): Promise<void> {
    const details = { limit, value, resetsAt: resetsAt.toISOString() };
    const entry = simEvent('SIM_LIMIT_REACHED', sim, details, now);
    const reached = `limitsReached.${limit}`;
    await this.sims.updateOne(
      { _id: sim._id, user: sim.user, [reached]: { $not: { $gte: resetsAt } } },
      { $set: { [reached]: resetsAt, relayDueAt: now }, $push: { outbox: entry } },
    );
  }

  /** Continues the events of a SIM in the record that replaces it. Can be repeated: an event is delivered once. */
  async moveEvents(
    account: AccountScope,
    into: Types.ObjectId,
    { outbox = [], limitsReached = {} }: Pick<SimRecord, 'outbox' | 'limitsReached'>,
    now: Date,
  ): Promise<void> {
    const reached = Object.entries(limitsReached).map(([limit, end]) => [`limitsReached.${limit}`, end]);
    if (reached.length === 0 && outbox.length === 0) return;
    await this.sims.updateOne(
      { _id: into, user: account.user },
      {
        ...(reached.length > 0 && { $max: Object.fromEntries(reached) as Record<string, Date> }),
        ...(outbox.length > 0 && { $set: { relayDueAt: now }, $push: { outbox: { $each: outbox } } }),
      },
    );
  }

  private readMany(ids: readonly Types.ObjectId[]): Promise<SimRecord[]> {
    return this.sims.find({ _id: { $in: ids } }, WITHOUT_HEALTH_DETAILS).lean<SimRecord[]>();
  }
}
