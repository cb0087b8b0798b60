import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { HeldMessage } from '../../devices/sims/sim-admission.service';
import type { WaitReason } from '../../devices/sims/wait-reasons';
import { exists } from '../../infrastructure/mongo/exists';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE, ifMoving } from '../../messages/ended-attempt';
import { Message, WAITING_INDEX } from '../../messages/message.schema';
import type { WaveKey } from '../dispatch/dispatch.repository';

/** Messages that wait on the server, with the reason. */
@Injectable()
export class WaitingMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Stores why messages wait and when they are due again, unless another worker has claimed them, or they were given another
   * time.
   */
  async hold(held: readonly HeldMessage[], now: Date): Promise<void> {
    await this.messages.updateMany(
      { _id: { $in: held.map(({ id }) => id) }, ...CLAIMABLE, nextDispatchAt: { $lte: now } },
      [
        { $set: { held: valuePerDocument(held, ({ id }) => id, toStoredFields) } },
        {
          $set: {
            // That of a message of a pool is stored with its device, when it is claimed.
            sim: { $cond: [IS_OF_POOL, coalesce('$sim'), coalesce('$held.sim')] },
            waitingFor: '$held.waitingFor',
            nextDispatchAt: '$held.retryAt',
            moveDueAt: ifMoving('$held.retryAt'),
            dispatchDueAt: coalesce('$held.waitingFor.until', '$dispatchDueAt'),
            updatedAt: now,
          },
        },
        { $unset: 'held' },
      ],
      { updatePipeline: true },
    );
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
        { _id: { $in: ids }, $or: [{ simClaim: reservationId }, { 'attempts.claim': reservationId }] },
        { _id: 1 },
      )
      .lean();
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }
}

const IS_OF_POOL = exists('$pool');

const waitingOn = (sim: Types.ObjectId) => ({
  sim,
  status: 'pending' as const,
  waitingFor: { $exists: true },
  'waitingFor.reason': { $ne: 'paused' as const },
});

const toStoredFields = ({ sim, reason, until, retryAt }: HeldMessage) => ({
  ...(sim && { sim }),
  waitingFor: { reason, ...(until && { until }) },
  retryAt,
});
