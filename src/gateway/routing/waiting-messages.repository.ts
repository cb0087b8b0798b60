import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { HeldMessage } from '../../devices/sims/sim-admission.service';
import type { WaitReason } from '../../devices/states/wait-reasons';
import { idsOf } from '../../common/documents';
import { exists } from '../../infrastructure/mongo/exists';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE, ifMoving } from '../../messages/ended-attempt';
import { failureUpdate } from '../../messages/failures/failure-update';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { Message, type OutgoingMessage, WAITING_INDEX } from '../../messages/message.schema';
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

  /** Fails messages that were not moved since they were read, and raises their event. @returns how many. */
  async fail(read: readonly ReadMessage[], errorCode: string, now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { _id: { $in: idsOf(read) }, ...CLAIMABLE, ...notMoved(read) },
      failureUpdate(errorCode, now),
      { maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    return result.modifiedCount;
  }

  async makeDue(sim: Types.ObjectId, now: Date): Promise<void> {
    await this.messages.updateMany(
      { ...waitingOn(sim), nextDispatchAt: { $gt: now } },
      { $set: { nextDispatchAt: now } },
    );
  }

  /** The waves of messages that wait for a SIM and are due. @param limit number of messages examined. */
  async listDueWaves(sim: Types.ObjectId, now: Date, limit: number): Promise<WaveKey[]> {
    const found = await this.messages.aggregate<{ _id: WaveKey }>([
      { $match: { ...waitingOn(sim), nextDispatchAt: { $lte: now } } },
      { $limit: limit },
      { $group: { _id: { batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  /**
   * Makes the messages due that wait for these devices to be reachable.
   * @param limit number of messages.
   * @returns their waves.
   */
  async makeReachableDue(devices: readonly Types.ObjectId[], now: Date, limit: number): Promise<WaveKey[]> {
    if (devices.length === 0) return [];
    const found = await this.messages
      .find(
        { device: { $in: devices }, giveUpAt: { $exists: true }, nextDispatchAt: { $gt: now } },
        { smsBatch: 1, wave: 1 },
      )
      .limit(limit)
      .lean<Pick<OutgoingMessage, '_id' | 'smsBatch' | 'wave'>[]>();
    if (found.length === 0) return [];
    await this.messages.updateMany(stillWaitingForPhone(found), makeDueUpdate(now), {
      updatePipeline: true,
    });
    const waves = new Map(
      found.map(({ smsBatch: batch, wave = 0 }) => [`${batch.toHexString()} ${wave}`, { batch, wave }]),
    );
    return [...waves.values()];
  }

  /**
   * Makes messages due that wait for a device to be reachable, those first that wait longest.
   * @returns them as they waited.
   */
  async makeDueForPhone(device: Types.ObjectId, now: Date, limit: number): Promise<OutgoingMessage[]> {
    const found = await this.messages
      .find({ device, giveUpAt: { $exists: true }, validUntil: { $not: { $lte: now } } })
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
  async findOldestUnreachable(device: Types.ObjectId): Promise<Date | undefined> {
    const found = await this.messages
      .findOne({ device, giveUpAt: { $exists: true } }, { giveUpAt: 1 })
      .sort({ giveUpAt: 1 })
      .lean<Pick<OutgoingMessage, 'giveUpAt'>>();
    return found?.giveUpAt && waitingSince(found.giveUpAt);
  }

  /** Of these devices, those that messages wait for. */
  async listWithUnreachable(devices: readonly Types.ObjectId[]): Promise<Types.ObjectId[]> {
    const found = await this.messages.aggregate<{ _id: Types.ObjectId }>([
      { $match: { device: { $in: devices }, giveUpAt: { $exists: true } } },
      { $group: { _id: '$device' } },
    ]);
    return found.map(({ _id }) => _id);
  }

  /** Counts the messages that wait for a device to be reachable, up to `limit`. */
  countUnreachable(device: Types.ObjectId, limit: number): Promise<number> {
    return this.messages.countDocuments({ device, giveUpAt: { $exists: true } }, { limit });
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
    ids: readonly Types.ObjectId[],
    reservationId: Types.ObjectId,
  ): Promise<ReadonlySet<string>> {
    const found = await this.messages
      .find(
        {
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

const stillWaitingForPhone = (found: readonly Pick<Message, '_id'>[]) => ({
  _id: { $in: idsOf(found) },
  'waitingFor.reason': { $in: WAITS_FOR_PHONE },
  ...CLAIMABLE,
});

const makeDueUpdate = (now: Date) => [{ $set: { nextDispatchAt: now, moveDueAt: ifMoving(now) } }];

const IS_OF_POOL = exists('$pool');

const waitingOn = (sim: Types.ObjectId) => ({
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
