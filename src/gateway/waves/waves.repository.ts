import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, QueryFilter } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { ofAccounts, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import type { DispatchGroup } from '../../messages/batch.schema';
import { Message, OutgoingMessage } from '../../messages/message.schema';
import type { WaveKey, WaveToEnqueue } from './wave-key';

/** A group whose start is stored. */
type GroupWithStart = DispatchGroup & Required<Pick<DispatchGroup, 'startAt'>>;

const waveId = ({ batch, wave }: WaveKey): string => `${batch.toHexString()} ${wave}`;

/** The waves of messages that wait to be dispatched: which are due, and when. */
@Injectable()
export class WavesRepository {
  private readonly awaitingDispatchByWave = new CoalescedLoader(waveId, (keys: readonly WaveKey[]) =>
    this.loadAwaitingDispatch(keys),
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * The messages of the wave that are pending, or wait to move to another SIM, and are due. Filtered here, because the loader is
   * keyed by wave only.
   */
  async listDue(key: WaveKey, now: Date): Promise<readonly OutgoingMessage[]> {
    const awaiting = (await this.awaitingDispatchByWave.load(key)) ?? [];
    return awaiting.filter(({ nextDispatchAt }) => nextDispatchAt && nextDispatchAt <= now);
  }

  /** Stores the times of the waves of a group on its messages; paused ones, and those with an attempt before, keep theirs. */
  async storeWaveTimes(
    { _id: batch, user }: OwnedId,
    { firstWave, waves, startAt, gapMs }: GroupWithStart,
  ): Promise<void> {
    // Messages of a group that was due immediately, and rescheduled since, have no offset.
    const uniform = { $multiply: [{ $subtract: ['$wave', firstWave] }, gapMs ?? 0] };
    const dueAt = { $add: [startAt, { $ifNull: ['$waveOffsetMs', uniform] }] };
    await this.messages.updateMany(
      {
        user,
        smsBatch: batch,
        wave: { $gte: firstWave, $lt: firstWave + waves },
        status: 'pending',
        dispatchAttempts: { $exists: false },
        'waitingFor.reason': { $ne: 'paused' },
      },
      [{ $set: { dispatchDueAt: dueAt, nextDispatchAt: dueAt } }],
      { updatePipeline: true },
    );
  }

  /** The first wave after this one, in the same group, that has pending messages; undefined if there is none. */
  async findNextWave(
    { user, batch, wave }: WaveKey,
    { firstWave, waves }: DispatchGroup,
  ): Promise<WaveToEnqueue | undefined> {
    const next = await this.messages
      .findOne(
        { user, smsBatch: batch, wave: { $gt: wave, $lt: firstWave + waves }, status: 'pending' },
        { wave: 1, nextDispatchAt: 1 },
      )
      .sort({ wave: 1, _id: 1 })
      .lean<Pick<Message, 'wave' | 'nextDispatchAt'>>();
    if (next?.wave === undefined) return undefined;
    return { user, batch, wave: next.wave, ...(next.nextDispatchAt && { dueAt: next.nextDispatchAt }) };
  }

  /** @returns when the oldest pending message was due; undefined if none is due. */
  async findOldestDueTime(now: Date): Promise<Date | undefined> {
    const found = await this.messages
      .findOne({ status: 'pending', nextDispatchAt: { $lte: now } }, { nextDispatchAt: 1 })
      .sort({ nextDispatchAt: 1 })
      .lean<Pick<Message, 'nextDispatchAt'>>();
    return found?.nextDispatchAt;
  }

  /** Waves with pending messages that were due at or before `since`. @param limit number of messages examined. */
  listOverdueWaves(since: Date, limit: number): Promise<WaveKey[]> {
    return this.listWaves(
      { status: 'pending', nextDispatchAt: { $lte: since } },
      { nextDispatchAt: 1 },
      limit,
    );
  }

  /** Waves with messages that were due to move to another SIM at or before `since`. @param limit number of messages examined. */
  listOverdueMoves(since: Date, limit: number): Promise<WaveKey[]> {
    return this.listWaves({ moveDueAt: atOrBefore(since) }, { moveDueAt: 1 }, limit);
  }

  async removeOfBatch({ user, batch }: WaveKey): Promise<void> {
    await this.messages.deleteMany({ user, smsBatch: batch });
  }

  private async listWaves(
    condition: QueryFilter<Message>,
    sort: Record<string, 1>,
    limit: number,
  ): Promise<WaveKey[]> {
    const found = await this.messages.aggregate<{ _id: WaveKey }>([
      { $match: condition },
      { $sort: sort },
      { $limit: limit },
      { $group: { _id: { user: '$user', batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  private async loadAwaitingDispatch(keys: readonly WaveKey[]): Promise<Map<string, OutgoingMessage[]>> {
    const found = await Promise.all(
      [...groupBy(keys, ({ wave }) => wave)].map(([wave, ofBatches]) =>
        this.messages
          .find({
            ...ofAccounts(ofBatches),
            smsBatch: { $in: ofBatches.map(({ batch }) => batch) },
            wave,
            $or: [{ status: 'pending' }, { moveDueAt: { $exists: true } }],
          })
          .sort({ _id: 1 })
          .lean<OutgoingMessage[]>(),
      ),
    );
    return groupBy(found.flat(), ({ user, smsBatch, wave = 0 }) => waveId({ user, batch: smsBatch, wave }));
  }
}
