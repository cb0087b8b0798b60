import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { AnyBulkWriteOperation, Model, Types } from 'mongoose';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { insertEach } from '../common/persistence/insert-each';
import { reached } from '../common/persistence/reached';
import { Delivery, MOST_ATTEMPTS_KEPT } from './delivery.schema';
import type { Settlement } from './settlement';

/**
 * Larger than any delivery that is made today; earlier versions made larger ones. Each of those is attempted while no
 * other of them is.
 */
export const MAX_SHARED_DELIVERY_BYTES = 128 * 1024;

/** What may be claimed: so many deliveries, of so many bytes together. */
export interface DeliveryRoom {
  readonly count: number;
  readonly bytes: number;
}

export interface ClaimedDeliveries {
  readonly claimed: readonly Delivery[];
  /** One that is due, and too large to be claimed with others. */
  readonly large?: Types.ObjectId;
}

interface SizedDelivery {
  readonly _id: Types.ObjectId;
  readonly bytes: number;
}

/** What is read and written of a delivery on its way. What its owner reads of it is in the delivery history. */
@Injectable()
export class DeliveriesRepository {
  constructor(@InjectModel(Delivery.name) private readonly deliveries: Model<Delivery>) {}

  /** Stores deliveries; one that is there already stays as it is. */
  async insertNew(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const failure = (await insertEach(this.deliveries, deliveries)).find(
      (one) => one && !isDuplicateKey(one),
    );
    if (failure) throw failure;
  }

  /**
   * Claims due deliveries of a subscription, those due longest first, as many as there is room for. Each is won by one
   * claim only, which holds until `until`: should whoever has it die, the attempt is made again after that. One that is
   * larger than `MAX_SHARED_DELIVERY_BYTES` is never among them.
   * @returns them as they were claimed: a redelivery can be asked for until then.
   */
  async claimDue(
    subscription: Types.ObjectId,
    room: DeliveryRoom,
    now: Date,
    until: Date,
  ): Promise<ClaimedDeliveries> {
    const isDue = { webhookSubscription: subscription, ...isDueNow(now) };
    const first = await this.listDue(isDue, room.count);
    const large = first.find(isLarge);
    // Large ones take up places in this list; those behind them must not wait for it.
    const small = large ? await this.listDue({ ...isDue, $expr: IS_SMALL }, room.count) : first;
    return { claimed: await this.claim(withinBytes(small, room.bytes), now, until), large: large?._id };
  }

  /** Claims one delivery, however large it is. @returns none when it is not due any more. */
  async claimLarge(id: Types.ObjectId, now: Date, until: Date): Promise<Delivery[]> {
    return this.claim([id], now, until);
  }

  /**
   * Writes down what became of attempts. One whose claim has ended meanwhile changes nothing: it is made again, or
   * was, by somebody else.
   * @returns the settlements that were written.
   */
  async settle(settlements: readonly Settlement[]): Promise<Settlement[]> {
    const { matchedCount } = await this.deliveries.bulkWrite(settlements.map(settlementWrite), {
      ordered: false,
    });
    if (matchedCount === settlements.length) return [...settlements];
    const written = await this.deliveries
      .find({
        _id: { $in: settlements.map(({ attempt }) => attempt.delivery._id) },
        'attempts._id': { $in: settlements.map(({ attempt }) => attempt.id) },
      })
      .select({ 'attempts._id': 1 })
      .lean<Pick<Delivery, 'attempts'>[]>();
    const attempts = new Set(written.flatMap((delivery) => delivery.attempts.map(({ _id }) => String(_id))));
    return settlements.filter(({ attempt }) => attempts.has(String(attempt.id)));
  }

  /** What of a subscription is still to be attempted; attempts under way left out: they end by themselves. */
  async listOpen(subscription: Types.ObjectId, now: Date, limit: number): Promise<Types.ObjectId[]> {
    const open = await this.deliveries
      .find({ webhookSubscription: subscription, ...isOpen(now) }, { _id: 1 })
      .limit(limit)
      .lean();
    return open.map(({ _id }) => _id);
  }

  /** Ends what of these deliveries is still to be attempted. @returns how many of them count as failed now. */
  async abort(ids: readonly Types.ObjectId[], now: Date): Promise<number> {
    const these = { _id: { $in: ids }, ...isOpen(now) };
    const without = { nextDeliveryAttemptAt: 1, claim: 1, claimedUntil: 1, isRedelivery: 1 } as const;
    const failed = await this.deliveries.updateMany(
      { ...these, computedStatus: { $in: ['pending', 'retrying'] } },
      { $set: { computedStatus: 'failed', deliveryAttemptAbortedAt: now }, $unset: without },
    );
    await this.deliveries.updateMany(these, { $unset: without });
    return failed.modifiedCount;
  }

  /**
   * The first subscription after `after` with an attempt to come, and when it is due: one step along the index,
   * however many deliveries there are.
   */
  async nextWaiting(
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

  private listDue(isDue: object, limit: number): Promise<SizedDelivery[]> {
    return this.deliveries
      .find(isDue, { bytes: { $bsonSize: '$$ROOT' } })
      .sort({ nextDeliveryAttemptAt: 1 })
      .limit(limit)
      .lean<SizedDelivery[]>();
  }

  private async claim(ids: readonly Types.ObjectId[], now: Date, until: Date): Promise<Delivery[]> {
    if (ids.length === 0) return [];
    const claim = new Types.ObjectId();
    await this.deliveries.updateMany(
      { _id: { $in: ids }, ...isDueNow(now) },
      { $set: { claim, claimedUntil: until } },
    );
    return this.deliveries.find({ _id: { $in: ids }, claim }).lean<Delivery[]>();
  }
}

const IS_SMALL = { $lte: [{ $bsonSize: '$$ROOT' }, MAX_SHARED_DELIVERY_BYTES] };

function isLarge({ bytes }: SizedDelivery): boolean {
  return bytes > MAX_SHARED_DELIVERY_BYTES;
}

function isDueNow(now: Date) {
  return { nextDeliveryAttemptAt: reached(now), claimedUntil: { $not: { $gt: now } } };
}

/** As many as there is room for, in their order. */
function withinBytes(due: readonly SizedDelivery[], room: number): Types.ObjectId[] {
  let left = room;
  return due.filter(({ bytes }) => (left -= bytes) >= 0).map(({ _id }) => _id);
}

/** An attempt is to come, and none is under way. */
function isOpen(now: Date) {
  return { nextDeliveryAttemptAt: { $exists: true }, claimedUntil: { $not: { $gt: now } } };
}

function settlementWrite(settlement: Settlement): AnyBulkWriteOperation<Delivery> {
  const { attempt, computedStatus, errorType, nextAt } = settlement;
  const { delivery, outcome } = attempt;
  const { httpStatusCode, responseBody } = outcome;
  const succeeded = outcome.kind === 'delivered';
  const record = {
    _id: attempt.id,
    at: attempt.at,
    durationMs: attempt.durationMs,
    ...(httpStatusCode !== undefined && { httpStatusCode }),
    ...(!succeeded && { error: outcome.error }),
  };
  return {
    updateOne: {
      filter: { _id: delivery._id, claim: delivery.claim },
      update: {
        $set: {
          computedStatus,
          deliveryUrl: attempt.deliveryUrl,
          lastDeliveryAttemptAt: attempt.at,
          ...(succeeded && { deliveredAt: delivery.deliveredAt ?? attempt.endedAt }),
          ...(computedStatus === 'failed' && { deliveryAttemptAbortedAt: attempt.endedAt }),
          ...(nextAt && { nextDeliveryAttemptAt: nextAt }),
          ...(errorType && { errorType }),
          ...(httpStatusCode !== undefined && { httpStatusCode }),
          ...(responseBody !== undefined && { responseBody }),
        },
        $unset: {
          claim: 1,
          claimedUntil: 1,
          isRedelivery: 1,
          ...(!nextAt && { nextDeliveryAttemptAt: 1 }),
          ...(succeeded && { deliveryAttemptAbortedAt: 1 }),
          ...(!errorType && { errorType: 1 }),
          ...(httpStatusCode === undefined && { httpStatusCode: 1 }),
          ...(responseBody === undefined && { responseBody: 1 }),
        },
        $inc: { deliveryAttemptCount: 1, redeliveryCount: delivery.isRedelivery ? 1 : 0 },
        $push: { attempts: { $each: [record], $slice: -MOST_ATTEMPTS_KEPT } },
      },
    },
  };
}
