import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { HeldMessage } from '../../devices/sims/sim-admission.service';
import type { WaitReason } from '../../devices/states/wait-reasons';
import { idsOf } from '../../common/documents';
import { sum } from '../../common/sum';
import { exists } from '../../infrastructure/mongo/exists';
import { byOwnedIds, ofAccounts, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE, ifMoving } from '../../messages/ended-attempt';
import { failureUpdate } from '../../messages/failure-update';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { Message, type OutgoingMessage, PARKED_INDEX, WAITING_INDEX } from '../../messages/message.schema';
import type { WaveKey } from '../waves/wave-key';
import { storedGiveUpAt, waitingSince } from './give-up';
import { notMoved, type ReadMessage } from './not-moved';

/** Messages on the server that no worker has claimed: they wait, with the reason, until they are due, or fail. */
@Injectable()
export class WaitingMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Stores why messages wait and when they are due again, unless another worker has claimed them, or they were given another
   * time or phone.
   * @param read the messages as they were when this was decided.
   */
  async hold(held: readonly HeldMessage[], read: readonly ReadMessage[], now: Date): Promise<void> {
    await this.messages.updateMany(
      {
        ...ofAccounts(read),
        _id: { $in: held.map(({ id }) => id) },
        ...CLAIMABLE,
        nextDispatchAt: { $lte: now },
        ...notMoved(read),
      },
      [
        { $set: { held: valuePerDocument(held, ({ id }) => id, toStoredFields) } },
        {
          $set: {
            // That of a message of a pool is stored with its device, when it is claimed.
            sim: { $cond: [IS_OF_POOL, coalesce('$sim'), coalesce('$held.sim')] },
            waitingFor: '$held.waitingFor',
            paceSlot: coalesce('$held.paceSlot'),
            nextDispatchAt: '$held.retryAt',
            moveDueAt: ifMoving('$held.retryAt'),
            dispatchDueAt: coalesce('$held.waitingFor.until', '$dispatchDueAt'),
            giveUpAt: {
              $cond: [
                { $eq: ['$held.waitingFor.reason', 'phone_unreachable'] },
                storedGiveUpAt(now),
                '$$REMOVE',
              ],
            },
            updatedAt: now,
          },
        },
        { $unset: ['held', 'pushClaim'] },
      ],
      { updatePipeline: true },
    );
  }

  /** Delays unclaimed messages until `dueAt` without counting an attempt, unless they were given another time meanwhile. */
  async postpone(messages: readonly OwnedId[], dueAt: Date, now: Date): Promise<void> {
    await this.messages.updateMany(
      { ...byOwnedIds(messages), ...CLAIMABLE, nextDispatchAt: { $lte: now } },
      [{ $set: { nextDispatchAt: dueAt, moveDueAt: ifMoving(dueAt) } }, { $unset: 'pushClaim' }],
      { updatePipeline: true },
    );
  }

  /**
   * Fails due messages and raises their event, unless another worker has claimed them, or they were given another time or phone.
   * @returns how many.
   */
  async fail(read: readonly ReadMessage[], errorCode: string, now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { ...byOwnedIds(read), ...CLAIMABLE, nextDispatchAt: { $lte: now }, ...notMoved(read) },
      failureUpdate(errorCode, now),
      { maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    return result.modifiedCount;
  }

  async makeDue(sim: OwnedId, now: Date): Promise<void> {
    await this.messages.updateMany(
      { ...waitingOn(sim), nextDispatchAt: { $gt: now } },
      { $set: { nextDispatchAt: now } },
    );
  }

  /** The waves of messages that wait for a SIM and are due. @param limit number of messages examined. */
  async listDueWaves(sim: OwnedId, now: Date, limit: number): Promise<WaveKey[]> {
    const found = await this.messages.aggregate<{ _id: WaveKey }>([
      { $match: { ...waitingOn(sim), nextDispatchAt: { $lte: now } } },
      { $limit: limit },
      { $group: { _id: { user: '$user', batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  /**
   * Makes the messages due that wait for these devices to be reachable.
   * @param limit number of messages. If there are more, each device gets its share of as many once more, so that one with many
   * messages does not hide those of others.
   * @returns their waves.
   */
  async makeDueForPhones(devices: readonly OwnedId[], now: Date, limit: number): Promise<WaveKey[]> {
    if (devices.length === 0) return [];
    const found = await this.messages
      .find({ ...parkedFor(devices), nextDispatchAt: { $gt: now } }, { user: 1, smsBatch: 1, wave: 1 })
      .limit(limit)
      .hint(PARKED_INDEX)
      .lean<Pick<OutgoingMessage, '_id' | 'user' | 'smsBatch' | 'wave'>[]>();
    if (found.length === 0) return [];
    await this.messages.updateMany(stillWaitingForPhone(found), makeDueUpdate(now), {
      updatePipeline: true,
    });
    const waves = found.map(({ user, smsBatch: batch, wave = 0 }) => ({ user, batch, wave }));
    if (found.length === limit && devices.length > 1)
      for (const device of devices)
        waves.push(...(await this.makeDueForPhones([device], now, Math.ceil(limit / devices.length))));
    return [...new Map(waves.map((wave) => [`${wave.batch.toHexString()} ${wave.wave}`, wave])).values()];
  }

  /**
   * Makes messages due that wait for a device to be reachable, those first that wait longest.
   * @returns them as they waited.
   */
  async makeDueForFetch(device: OwnedId, now: Date, limit: number): Promise<OutgoingMessage[]> {
    const found = await this.messages
      .find({ ...parkedFor([device]), validUntil: { $not: { $lte: now } } })
      .sort({ giveUpAt: 1 })
      .limit(limit)
      .lean<OutgoingMessage[]>();
    if (found.length > 0)
      await this.messages.updateMany(stillWaitingForPhone(found), makeDueUpdate(now), {
        updatePipeline: true,
      });
    return found;
  }

  /** Since when the oldest message waits for a device to be reachable. */
  async findOldestWaitingForPhone(device: OwnedId): Promise<Date | undefined> {
    const found = await this.messages
      .findOne(parkedFor([device]), { giveUpAt: 1 })
      .sort({ giveUpAt: 1 })
      .lean<Pick<OutgoingMessage, 'giveUpAt'>>();
    return found?.giveUpAt && waitingSince(found.giveUpAt);
  }

  /**
   * Of these devices, those that messages wait for.
   * @param limit number of messages examined together. If there are more, each of the other devices is looked at.
   */
  async listWaitedFor(devices: readonly OwnedId[], limit: number): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .aggregate<{ _id: Types.ObjectId; count: number }>([
        { $match: parkedFor(devices) },
        { $limit: limit },
        { $group: { _id: '$device', count: { $sum: 1 } } },
      ])
      .hint(PARKED_INDEX);
    const ids = idsOf(found);
    if (sum(found, ({ count }) => count) < limit) return ids;
    const known = new Set(ids.map(String));
    for (const device of devices)
      if (!known.has(device._id.toHexString()) && (await this.countWaitingForPhone(device, 1)) > 0)
        ids.push(device._id);
    return ids;
  }

  /** Counts the messages that wait for a device to be reachable, up to `limit`. */
  countWaitingForPhone(device: OwnedId, limit: number): Promise<number> {
    return this.messages.countDocuments(parkedFor([device]), { limit, hint: PARKED_INDEX });
  }

  /** Counts waiting messages of all accounts by reason. @param limit number of messages examined. */
  async countByReason(limit: number): Promise<Partial<Record<WaitReason, number>>> {
    const found = await this.messages
      .aggregate<{ _id: WaitReason; count: number }>([
        { $match: { waitingFor: { $exists: true } } },
        { $limit: limit },
        { $group: { _id: '$waitingFor.reason', count: { $sum: 1 } } },
      ])
      .hint(WAITING_INDEX);
    return Object.fromEntries(found.map(({ _id, count }) => [_id, count]));
  }

  /** The messages that were claimed with the reservation, now or in an earlier attempt, and whose claim was not released. */
  async findClaimed(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    reservationId: Types.ObjectId,
  ): Promise<ReadonlySet<string>> {
    const found = await this.messages
      .find(
        {
          user,
          _id: { $in: ids },
          $or: [{ simReservation: reservationId }, { 'attempts.simReservation': reservationId }],
        },
        { _id: 1 },
      )
      .lean();
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }
}

/** Those that have a `giveUpAt`. */
const WAITS_FOR_PHONE = ['phone_unreachable', 'phone_fetch'] as const satisfies readonly WaitReason[];

const parkedFor = (devices: readonly OwnedId[]) => ({
  ...ofAccounts(devices),
  device: devices.length === 1 ? devices[0]?._id : { $in: idsOf(devices) },
  giveUpAt: { $exists: true },
});

const stillWaitingForPhone = (found: readonly OwnedId[]) => ({
  ...byOwnedIds(found),
  'waitingFor.reason': { $in: WAITS_FOR_PHONE },
  ...CLAIMABLE,
});

const makeDueUpdate = (now: Date) => [{ $set: { nextDispatchAt: now, moveDueAt: ifMoving(now) } }];

const IS_OF_POOL = exists('$pool');

const waitingOn = ({ _id: sim, user }: OwnedId) => ({
  user,
  sim,
  status: 'pending' as const,
  waitingFor: { $exists: true },
  // A phone that cannot be reached does not come back because of its SIM.
  'waitingFor.reason': { $nin: ['paused' as const, ...WAITS_FOR_PHONE] },
});

const toStoredFields = ({ sim, reason, until, retryAt, paceSlot }: HeldMessage) => ({
  ...(sim && { sim }),
  ...(paceSlot && { paceSlot }),
  waitingFor: { reason, ...(until && { until }) },
  retryAt,
});
