import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { latestNow } from '../../common/clock';
import { groupsOf, roundsOf } from '../../common/group-by';
import { writeManyWithRetry } from '../../common/database-outage';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { byOwnedIds, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { insertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { Delivery, SCHEDULE_INDEX } from './delivery.schema';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { countChange } from './count-change';
import type { DeliveryUpdate } from './delivery-update';
import { type CountedUpdate, resultsUpdate } from './results-update';

/** A larger delivery is oversized: it is attempted alone. */
export const MAX_BATCHED_DELIVERY_BYTES = 128 * 1024;

export interface ClaimLimits {
  readonly count: number;
  readonly bytes: number;
}

export interface ClaimedDeliveries {
  readonly claimed: readonly Delivery[];
  /** A due delivery that is oversized, not claimed yet. */
  readonly oversized?: Types.ObjectId;
  readonly hasMore: boolean;
}

interface SizedDelivery {
  readonly _id: Types.ObjectId;
  readonly bytes: number;
}

@Injectable()
export class DeliveriesRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /** Stores deliveries; skips those that exist. @returns those that were stored. */
  async insertMissing(deliveries: readonly Delivery[]): Promise<Delivery[]> {
    if (deliveries.length === 0) return [];
    const failures = await insertManyUnordered(this.deliveries, deliveries);
    const failure = failures.find((one) => one && !isDuplicateKey(one));
    if (failure) throw failure;
    return deliveries.filter((_, index) => !failures[index]);
  }

  /**
   * Claims due deliveries of a subscription, oldest due first, within the limits. A claim is exclusive until `until`;
   * then the delivery can be claimed again. Oversized deliveries are not claimed.
   * @returns the deliveries as they were when claimed.
   */
  async claimDue(
    { _id: subscription, user }: OwnedId,
    limits: ClaimLimits,
    now: Date,
    until: Date,
  ): Promise<ClaimedDeliveries> {
    const isDue = { user, webhookSubscription: subscription, ...isDueNow(now) };
    const first = await this.listDue(isDue, limits.count);
    const oversized = first.find(({ bytes }) => bytes > MAX_BATCHED_DELIVERY_BYTES);
    // Oversized deliveries count towards the limit of the first query and must not delay the others.
    const others = oversized ? await this.listDue({ ...isDue, $expr: IS_BATCHABLE }, limits.count) : first;
    const ids = withinBytes(others, limits.bytes);
    const hasMore = oversized !== undefined || others.length === limits.count || ids.length < others.length;
    return {
      claimed: await this.claim(accountScope(user), ids, now, until),
      oversized: oversized?._id,
      hasMore,
    };
  }

  /** Makes claimed deliveries due again. */
  async releaseClaims(claimed: readonly Delivery[]): Promise<void> {
    await this.deliveries.bulkWrite(
      claimed.map(({ _id, user, claim }) => ({
        updateOne: { filter: { _id, user, claim }, update: { $unset: { claim: 1, claimedUntil: 1 } } },
      })),
      { ordered: false },
    );
  }

  /** Claims one delivery of any size. @returns an empty array when it is no longer due. */
  claimOversized(account: AccountScope, id: Types.ObjectId, now: Date, until: Date): Promise<Delivery[]> {
    return this.claim(account, [id], now, until);
  }

  /**
   * Stores the results of attempts. Safe to repeat. A result is ignored when its delivery has another claim, or none, by
   * now.
   * @returns the updates that were stored.
   */
  async storeResults(counted: readonly CountedUpdate[]): Promise<DeliveryUpdate[]> {
    const stored: DeliveryUpdate[] = [];
    for (const round of roundsOf(counted, ({ update }) => String(update.attempt.delivery._id)))
      stored.push(...(await this.storeDistinct(round)));
    return stored;
  }

  /** Deliveries of a subscription with a scheduled attempt that is not in flight. */
  async listAbortable(
    { _id: subscription, user }: OwnedId,
    now: Date,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const open = await this.deliveries
      .find({ user, webhookSubscription: subscription, ...isAbortable(now) }, { _id: 1 })
      .limit(limit)
      .hint(SCHEDULE_INDEX)
      .lean();
    return open.map(({ _id }) => _id);
  }

  /** Cancels the scheduled attempts of deliveries. @returns how many became failed. */
  async abort({ user }: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<number> {
    const abortable = { user, _id: { $in: ids }, ...isAbortable(now) };
    const unset = [
      'nextDeliveryAttemptAt',
      'scheduledAttemptAt',
      'claim',
      'claimedUntil',
      'isRedelivery',
    ] as const;
    const set = { computedStatus: 'failed', deliveryAttemptAbortedAt: now, ...countChange({ failed: 1 }) };
    const failed = await this.deliveries.updateMany(
      { ...abortable, computedStatus: { $in: ['pending', 'retrying'] } },
      [{ $set: set }, { $unset: [...unset] }],
      { updatePipeline: true, maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    await this.deliveries.updateMany(abortable, [{ $unset: [...unset] }], { updatePipeline: true });
    return failed.modifiedCount;
  }

  /** The next subscription after `after` with a scheduled attempt, and when it is due. Reads one index entry. */
  async findNextScheduled(
    after: Types.ObjectId | undefined,
  ): Promise<{ subscription: Types.ObjectId; dueAt: Date } | undefined> {
    const found = await this.deliveries
      .findOne(
        {
          nextDeliveryAttemptAt: { $exists: true },
          ...(after && { webhookSubscription: { $gt: after } }),
        },
        { webhookSubscription: 1, nextDeliveryAttemptAt: 1 },
      )
      .sort({ webhookSubscription: 1, nextDeliveryAttemptAt: 1 })
      .lean<Pick<Delivery, 'webhookSubscription' | 'nextDeliveryAttemptAt'>>();
    if (!found?.nextDeliveryAttemptAt) return undefined;
    return { subscription: found.webhookSubscription, dueAt: found.nextDeliveryAttemptAt };
  }

  /** @param counted at most one update for each delivery. */
  private async storeDistinct(counted: readonly CountedUpdate[]): Promise<DeliveryUpdate[]> {
    const updates = counted.map(({ update }) => update);
    const pipeline = resultsUpdate(counted);
    const { matchedCount } = await writeManyWithRetry(() =>
      this.deliveries.collection.updateMany(stillClaimed(updates), pipeline, {
        maxTimeMS: COUNTING_WRITE_TIMEOUT_MS,
      }),
    );
    if (matchedCount === updates.length) return updates;
    const written = await this.deliveries
      .find({
        ...byOwnedIds(updates.map(({ attempt }) => attempt.delivery)),
        'attempts._id': { $in: updates.map(({ attempt }) => attempt.id) },
      })
      .select({ 'attempts._id': 1 })
      .lean<Pick<Delivery, 'attempts'>[]>();
    const attempts = new Set(written.flatMap((delivery) => delivery.attempts.map(({ _id }) => String(_id))));
    return updates.filter(({ attempt }) => attempts.has(String(attempt.id)));
  }

  private listDue(isDue: object, limit: number): Promise<SizedDelivery[]> {
    return this.deliveries
      .find(isDue, { bytes: { $bsonSize: '$$ROOT' } })
      .sort({ nextDeliveryAttemptAt: 1 })
      .limit(limit)
      .lean<SizedDelivery[]>();
  }

  private async claim(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    now: Date,
    until: Date,
  ): Promise<Delivery[]> {
    if (ids.length === 0) return [];
    const claim = new Types.ObjectId();
    await this.deliveries.updateMany(
      { user, _id: { $in: ids }, ...isDueNow(now) },
      { $set: { claim, claimedUntil: until } },
    );
    return this.deliveries.find({ user, _id: { $in: ids }, claim }).lean<Delivery[]>();
  }
}

const IS_BATCHABLE = { $lte: [{ $bsonSize: '$$ROOT' }, MAX_BATCHED_DELIVERY_BYTES] };

/** Includes what is due by a clock that is slightly ahead of this one, except retries, which have an error. */
function isDueNow(now: Date) {
  return {
    nextDeliveryAttemptAt: atOrBefore(latestNow(now)),
    $nor: [{ nextDeliveryAttemptAt: { $gt: now }, errorType: { $exists: true } }],
    claimedUntil: { $not: { $gt: now } },
  };
}

function withinBytes(due: readonly SizedDelivery[], maxBytes: number): Types.ObjectId[] {
  let left = maxBytes;
  return due.filter(({ bytes }) => (left -= bytes) >= 0).map(({ _id }) => _id);
}

/** The deliveries of these attempts, each while it has the claim under which it was attempted. */
function stillClaimed(updates: readonly DeliveryUpdate[]) {
  const deliveries = updates.map(({ attempt }) => attempt.delivery);
  const groups = groupsOf(deliveries, ({ claim }) => String(claim));
  const idsOf = (group: readonly Delivery[]) => ({ $in: group.map(({ _id }) => _id) });
  return {
    ...byOwnedIds(deliveries),
    $or: groups.map((group) => ({ _id: idsOf(group), claim: group[0].claim })),
  };
}

function isAbortable(now: Date) {
  return { nextDeliveryAttemptAt: { $exists: true }, claimedUntil: { $not: { $gt: now } } };
}
