import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { Gathering, gatheredReads } from '../common/gathering';
import { groupBy } from '../common/group-by';
import { raisedKey, type UnconfirmedReason } from './message-event';
import { failureUpdate } from './message-failure';
import { Message } from './message.schema';

/** A wave of a batch: what one dispatch job is about. */
export interface WaveKey {
  readonly batch: Types.ObjectId;
  readonly wave: number;
}

interface Claim {
  readonly ids: readonly Types.ObjectId[];
  readonly offerUntil: Date;
  readonly now: Date;
}

interface Move {
  readonly ids: readonly Types.ObjectId[];
  readonly now: Date;
}

const hexOf = (id: Types.ObjectId): string => id.toHexString();
const wavePlaceOf = ({ batch, wave }: WaveKey): string => `${batch.toHexString()} ${wave}`;

/** The moves a message makes on its way to the push service, each one conditional write. */
@Injectable()
export class DispatchRepository {
  private readonly pendingOfWaves = gatheredReads(wavePlaceOf, (waves: readonly WaveKey[]) =>
    this.readPending(waves),
  );
  private readonly claims = new Gathering((asked: readonly Claim[]) => this.claimTogether(asked));
  private readonly moves = new Gathering(async (asked: readonly Move[]) => {
    await this.moveTogether(asked);
    return asked.map(() => undefined);
  });

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** The wave's messages that are pending and due. */
  async listDue(wave: WaveKey, now: Date): Promise<readonly Message[]> {
    const pending = (await this.pendingOfWaves.ask(wave)) ?? [];
    return pending.filter(({ nextDispatchAt }) => nextDispatchAt && nextDispatchAt <= now);
  }

  /** Sets when the waves of a batch are due; what was handed over before keeps its time. */
  async scheduleWaves(batch: Types.ObjectId, waves: readonly { wave: number; dueAt: Date }[]): Promise<void> {
    await this.messages.bulkWrite(
      waves.map(({ wave, dueAt }) => ({
        updateMany: {
          filter: { smsBatch: batch, wave, status: 'pending', dispatchAttempts: { $exists: false } },
          update: { $set: { dispatchDueAt: dueAt, nextDispatchAt: dueAt } },
        },
      })),
      { ordered: false },
    );
  }

  /** Since when the message has been due that waits longest; undefined when none is. */
  async oldestDue(now: Date): Promise<Date | undefined> {
    const found = await this.messages
      .findOne({ status: 'pending', nextDispatchAt: { $lte: now } }, { nextDispatchAt: 1 })
      .sort({ nextDispatchAt: 1 })
      .lean<Pick<Message, 'nextDispatchAt'>>();
    return found?.nextDispatchAt;
  }

  /** Waves with messages that have been due since before `since` and wait still, at most `limit` messages' worth. */
  async listOverdueWaves(since: Date, limit: number): Promise<WaveKey[]> {
    const found = await this.messages.aggregate<{ _id: WaveKey }>([
      { $match: { status: 'pending', nextDispatchAt: { $lte: since } } },
      { $sort: { nextDispatchAt: 1 } },
      { $limit: limit },
      { $group: { _id: { batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  /**
   * Claims messages right before they are pushed. Each is won by one worker only, and once won it is never
   * pushed by another: whoever dies from here on leaves doubt behind, see `moveToDispatched`. From here on it is also
   * offered to a phone that connects: between the push and its result there is no moment at which it is neither.
   * @returns the ids that were won.
   */
  claim(ids: readonly Types.ObjectId[], offerUntil: Date, now: Date): Promise<ReadonlySet<string>> {
    return this.claims.ask({ ids, offerUntil, now });
  }

  /**
   * The push service has accepted these messages, or may have (doubt): they are `dispatched`, unless the phone
   * was quicker and has reported already.
   */
  async moveToDispatched(ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.moves.ask({ ids, now });
  }

  /**
   * The push service has definitely not taken these messages for now: they wait until `dueAt`, claimed by nobody, and
   * may be cancelled.
   */
  async release(ids: readonly Types.ObjectId[], dueAt: Date, now: Date): Promise<void> {
    await this.messages.updateMany(
      { _id: { $in: ids }, status: 'pending' },
      [
        {
          $set: {
            nextDispatchAt: dueAt,
            unavailableSince: { $ifNull: ['$unavailableSince', now] },
            updatedAt: now,
          },
        },
        { $unset: ['pushStartedAt', 'pushClaim', 'offerUntil'] },
      ],
      { updatePipeline: true },
    );
  }

  /** Lets messages that nobody has claimed wait until `dueAt`; it is no attempt. */
  async postpone(ids: readonly Types.ObjectId[], dueAt: Date): Promise<void> {
    await this.messages.updateMany(
      { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: false } },
      { $set: { nextDispatchAt: dueAt } },
    );
  }

  /** Fails messages that never left, with their event. @returns how many. */
  async fail(ids: readonly Types.ObjectId[], errorCode: string, now: Date): Promise<number> {
    const pending = { _id: { $in: ids }, status: 'pending' as const };
    return (await this.messages.updateMany(pending, failureUpdate(errorCode, now))).modifiedCount;
  }

  /** Removes the messages of a send that was not accepted. */
  async removeBatch(batch: Types.ObjectId): Promise<void> {
    await this.messages.deleteMany({ smsBatch: batch });
  }

  /** Messages that were dispatched before `since` and never heard of, longest ago first. */
  listSilent(since: Date, limit: number): Promise<Pick<Message, '_id' | 'device'>[]> {
    return this.messages
      .find({ status: 'dispatched', dispatchedAt: { $lte: since } }, { device: 1 })
      .sort({ dispatchedAt: 1 })
      .limit(limit)
      .lean<Pick<Message, '_id' | 'device'>[]>();
  }

  /** Messages a device was handed that it has neither acknowledged nor reported. */
  listUnacknowledged(device: Types.ObjectId, limit: number): Promise<Pick<Message, '_id'>[]> {
    return this.messages
      .find(
        { device, offerUntil: { $gt: new Date(0) }, status: { $in: ['dispatched', 'unknown'] } },
        { _id: 1 },
      )
      .limit(limit)
      .lean<Pick<Message, '_id'>[]>();
  }

  /**
   * Moves dispatched messages to `unknown`, with their event: no report came, and a later one still moves them on.
   * @returns how many.
   */
  async moveToUnconfirmed(
    ids: readonly Types.ObjectId[],
    unconfirmedReason: UnconfirmedReason,
    now: Date,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      { _id: { $in: ids }, status: 'dispatched' },
      {
        $set: { status: 'unknown', unconfirmedReason, settledAt: now, relayDueAt: now, updatedAt: now },
        $addToSet: { raised: raisedKey('MESSAGE_UNCONFIRMED') },
        $push: { outbox: { event: 'MESSAGE_UNCONFIRMED', at: now } },
      },
    );
    return result.modifiedCount;
  }

  /** Ends the redelivery of messages; from now on their phone is not handed them. */
  async endRedelivery(ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.messages.updateMany(
      { _id: { $in: ids }, status: { $in: ['dispatched', 'unknown'] } },
      { $unset: { offerUntil: 1 }, $set: { updatedAt: now } },
    );
  }

  private async claimTogether(claims: readonly Claim[]): Promise<ReadonlySet<string>[]> {
    const ids = claims.flatMap((claim) => claim.ids);
    const { offerUntil, now } = claims.reduce((last, claim) => (claim.now > last.now ? claim : last));
    const pushClaim = new Types.ObjectId();
    const result = await this.messages.updateMany(
      { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: false } },
      { $set: { pushStartedAt: now, pushClaim, offerUntil, updatedAt: now }, $inc: { dispatchAttempts: 1 } },
    );
    const won =
      result.modifiedCount === ids.length
        ? ids
        : (await this.messages.find({ _id: { $in: ids }, pushClaim }, { _id: 1 }).lean()).map(
            ({ _id }) => _id,
          );
    // Two runs of one wave may ask together: what was won goes to one of them.
    const left = new Set(won.map((id) => id.toHexString()));
    return claims.map((claim) => new Set(claim.ids.map(hexOf).filter((id) => left.delete(id))));
  }

  private async moveTogether(moves: readonly Move[]): Promise<void> {
    const now = moves.reduce((last, move) => (move.now > last ? move.now : last), new Date(0));
    await this.messages.updateMany(
      { _id: { $in: moves.flatMap(({ ids }) => ids) } },
      [
        {
          $set: {
            dispatchedAt: { $ifNull: ['$dispatchedAt', now] },
            status: { $cond: [{ $eq: ['$status', 'pending'] }, 'dispatched', '$status'] },
            updatedAt: now,
          },
        },
        { $unset: ['pushStartedAt', 'pushClaim', 'unavailableSince'] },
      ],
      { updatePipeline: true },
    );
  }

  private async readPending(waves: readonly WaveKey[]): Promise<Map<string, Message[]>> {
    const found = await Promise.all(
      [...groupBy(waves, ({ wave }) => wave)].map(([wave, ofBatches]) =>
        this.messages
          .find({ smsBatch: { $in: ofBatches.map(({ batch }) => batch) }, wave, status: 'pending' })
          .sort({ _id: 1 })
          .lean<Message[]>(),
      ),
    );
    return groupBy(found.flat(), ({ smsBatch, wave }) => `${String(smsBatch)} ${String(wave)}`);
  }
}
