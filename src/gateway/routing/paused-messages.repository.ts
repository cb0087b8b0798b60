import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import type { OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { DispatchGroup } from '../../messages/batch.schema';
import { ifMoving, CLAIMABLE } from '../../messages/ended-attempt';
import { UNSENT_CODES } from '../../messages/failures/withdrawn-codes';
import { Message } from '../../messages/message.schema';

/** Messages of one phone that wait as paused although they are due. */
export interface PastDue {
  readonly device: Types.ObjectId;
  readonly count: number;
  readonly firstWave: number;
  readonly lastWave: number;
}

/** Messages of a batch. */
interface PausedMessages {
  readonly batch: OwnedId;
  /** Absent: all. */
  readonly ids?: readonly Types.ObjectId[];
}

/** Shorter than the time after which another process takes over a change. */
const WRITE_TIMEOUT_MS = 20_000;

/** Reads and writes of the messages of paused batches. */
@Injectable()
export class PausedMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Holds the unclaimed messages of a batch as `paused`. Their due times stay, for when it is resumed; what waited for
   * another reason becomes due. What is offered to a phone is not taken or parked any more.
   * @param recheckAt when a worker looks at them again; at the latest when they expire.
   */
  async pause(target: PausedMessages, recheckAt: Date, now: Date): Promise<void> {
    const recheck = { $min: [recheckAt, { $ifNull: ['$validUntil', recheckAt] }] };
    const waitsForOtherReason = {
      $not: [{ $in: [{ $ifNull: ['$waitingFor.reason', 'paused'] }, ['paused']] }],
    };
    await this.messages.updateMany(
      {
        ...ofBatch(target.batch),
        // Messages that were due may have been given another time meanwhile.
        ...(target.ids && { _id: { $in: target.ids }, nextDispatchAt: { $lte: now } }),
        ...CLAIMABLE,
      },
      [
        {
          $set: {
            dispatchDueAt: { $cond: [waitsForOtherReason, now, coalesce('$dispatchDueAt')] },
            waitingFor: { reason: 'paused' },
            nextDispatchAt: recheck,
            moveDueAt: ifMoving(recheck),
            updatedAt: now,
          },
        },
        { $unset: ['giveUpAt', 'pushClaim', 'simReservation'] },
      ],
      { updatePipeline: true, maxTimeMS: WRITE_TIMEOUT_MS },
    );
  }

  /** Whether a message of the batch is neither unclaimed, nor cancelled, nor expired. */
  async hasLeft(batch: OwnedId): Promise<boolean> {
    const found = await this.messages.exists({
      ...ofBatch(batch),
      $nor: [
        { status: 'pending', pushStartedAt: { $exists: false } },
        { status: 'failed', errorCode: 'CANCELLED' },
        // A phone may report the same code.
        { status: 'failed', errorCode: { $in: [...UNSENT_CODES] }, cancellation: { $exists: true } },
      ],
    });
    return found !== null;
  }

  /** The first paused message of a group. */
  findFirst(batch: OwnedId, group: DispatchGroup): Promise<Pick<Message, 'wave' | 'waveOffsetMs'> | null> {
    return this.messages
      .findOne({ ...pausedIn(batch), wave: wavesOf(group) }, { wave: 1, waveOffsetMs: 1 })
      .sort({ wave: 1, _id: 1 })
      .lean<Pick<Message, 'wave' | 'waveOffsetMs'>>();
  }

  /** Gives the paused messages of a group the times of their waves in its slot. */
  async resumeInSlot(batch: OwnedId, group: DispatchGroup, startAt: Date, now: Date): Promise<void> {
    const dueAt = {
      $add: [startAt, { $ifNull: ['$waveOffsetMs', uniformOffset(group.firstWave, gapOf(group))] }],
    };
    await this.resume({ ...pausedIn(batch), wave: wavesOf(group) }, dueAt, now);
  }

  /** The paused messages that are due, by phone. */
  async listPastDue(batch: OwnedId, now: Date): Promise<PastDue[]> {
    const found = await this.messages.aggregate<Omit<PastDue, 'device'> & { _id: Types.ObjectId }>([
      { $match: { ...pausedIn(batch), ...dueBy(now) } },
      {
        $group: {
          _id: '$device',
          count: { $sum: 1 },
          firstWave: { $min: '$wave' },
          lastWave: { $max: '$wave' },
        },
      },
    ]);
    return found.map(({ _id, ...waves }) => ({ device: _id, ...waves }));
  }

  /** Gives the paused messages of a phone that are due times one wave after the other. */
  async resumeEvenly(
    batch: OwnedId,
    { device, firstWave }: PastDue,
    startAt: Date,
    gapMs: number,
    now: Date,
  ): Promise<void> {
    const dueAt = { $add: [startAt, uniformOffset(firstWave, gapMs)] };
    await this.resume({ ...pausedIn(batch), device, ...dueBy(now) }, dueAt, now);
  }

  /** Gives all other paused messages their due times back. */
  async resumeRest(batch: OwnedId, now: Date): Promise<void> {
    await this.resume(pausedIn(batch), { $ifNull: ['$dispatchDueAt', now] }, now);
  }

  /** Stores a new due time of all paused messages, which they get when they are resumed. */
  async setDueTime(batch: OwnedId, dueAt: Date, now: Date): Promise<void> {
    await this.messages.updateMany(
      pausedIn(batch),
      { $set: { dispatchDueAt: dueAt, updatedAt: now } },
      { maxTimeMS: WRITE_TIMEOUT_MS },
    );
  }

  private async resume(filter: QueryFilter<Message>, dueAt: object, now: Date): Promise<void> {
    await this.messages.updateMany(
      filter,
      [
        {
          $set: {
            dispatchDueAt: dueAt,
            nextDispatchAt: dueAt,
            moveDueAt: ifMoving(dueAt),
            updatedAt: now,
          },
        },
        { $unset: 'waitingFor' },
      ],
      { updatePipeline: true, maxTimeMS: WRITE_TIMEOUT_MS },
    );
  }
}

/** From the start of a wave to that of the next one; messages of scheduled groups store the offset of theirs. */
export const gapOf = ({ gapMs, durationMs = 0, waves }: DispatchGroup): number =>
  gapMs ?? Math.ceil(durationMs / waves);

const uniformOffset = (firstWave: number, gapMs: number) => ({
  $multiply: [{ $subtract: ['$wave', firstWave] }, gapMs],
});

const wavesOf = ({ firstWave, waves }: DispatchGroup) => ({ $gte: firstWave, $lt: firstWave + waves });

const ofBatch = ({ user, _id }: OwnedId) => ({ user, smsBatch: _id });

const pausedIn = (batch: OwnedId) => ({
  ...ofBatch(batch),
  ...CLAIMABLE,
  'waitingFor.reason': 'paused' as const,
});

const dueBy = (now: Date) => ({
  $and: [{ $or: [{ dispatchDueAt: { $lte: now } }, { dispatchDueAt: { $exists: false } }] }],
});
