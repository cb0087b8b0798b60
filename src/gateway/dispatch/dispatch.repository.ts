import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, QueryFilter, Types } from 'mongoose';
import { Batcher, BatchLoader, latestOf } from '../../common/batcher';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../maintenance/rollups/periods';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { isMissing } from '../../infrastructure/mongo/exists';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import {
  type AttemptEnd,
  dueAgainUpdate,
  endAttemptUpdate,
  ifMoving,
  CLAIMABLE,
} from '../../messages/ended-attempt';
import { failureUpdate } from '../../messages/failures/failure-update';
import type { DispatchGroup } from '../../messages/batch.schema';
import { Message, OutgoingMessage } from '../../messages/message.schema';

/** A limit, so that some waves are pushed while others are claimed or stored. */
const MESSAGES_PER_WRITE = 250;

export interface WaveKey {
  readonly batch: Types.ObjectId;
  readonly wave: number;
}

/** A wave, and when its job is to run. */
export interface WaveToEnqueue extends WaveKey {
  /** Absent: due immediately. */
  readonly dueAt?: Date;
}

/** A group whose start is stored. */
type GroupWithStart = DispatchGroup & Required<Pick<DispatchGroup, 'startAt'>>;

/** A message to claim, and what is stored with its claim. */
export interface MessageClaim {
  readonly id: Types.ObjectId;
  readonly sim?: Types.ObjectId;
  /** The subscription id of a SIM that the request did not name. */
  readonly chosenSubscriptionId?: number;
  /** Stored as `simClaim`. */
  readonly reservationId?: Types.ObjectId;
  /** Only of a message of a pool: the phone and SIM that it was routed to. */
  readonly route?: ClaimedRoute;
}

interface ClaimedRoute {
  readonly device: Types.ObjectId;
  /** Absent if the phone has one SIM without such an id. */
  readonly simSubscriptionId?: number;
  readonly choice?: Message['choice'];
  /** Those of the message when the SIM was chosen: if it was claimed since then, this claim fails. */
  readonly dispatchAttempts: number;
}

type PoolMessageClaim = MessageClaim & Required<Pick<MessageClaim, 'route'>>;

/** What a claim sets on all of its messages. */
interface ClaimSet {
  readonly pushStartedAt: Date;
  readonly pushClaim: Types.ObjectId;
  readonly offerUntil: Date;
  readonly updatedAt: Date;
}

interface ClaimRequest {
  readonly messages: readonly MessageClaim[];
  readonly offerUntil: Date;
  readonly now: Date;
}

interface DispatchedRequest {
  readonly ids: readonly Types.ObjectId[];
  readonly now: Date;
}

const waveId = ({ batch, wave }: WaveKey): string => `${batch.toHexString()} ${wave}`;

/** Queries and writes for dispatching messages. Each state change is one conditional write. */
@Injectable()
export class DispatchRepository {
  private readonly awaitingDispatchByWave = new BatchLoader(waveId, (keys: readonly WaveKey[]) =>
    this.loadAwaitingDispatch(keys),
  );
  private readonly claimBatcher = new Batcher(
    (requests: readonly ClaimRequest[]) => this.writeClaims(requests),
    { maxBatchSize: MESSAGES_PER_WRITE, sizeOf: ({ messages }) => messages.length },
  );
  private readonly dispatchedBatcher = new Batcher(
    async (requests: readonly DispatchedRequest[]) => {
      await this.writeDispatched(requests);
      return requests.map(() => undefined);
    },
    { maxBatchSize: MESSAGES_PER_WRITE, sizeOf: ({ ids }) => ids.length },
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

  /** Stores the times of the waves of a group on its messages; those that were pushed before keep theirs. */
  async storeWaveTimes(
    batch: Types.ObjectId,
    { firstWave, waves, startAt, gapMs }: GroupWithStart,
  ): Promise<void> {
    // Messages of earlier versions have no offset.
    const uniform = { $multiply: [{ $subtract: ['$wave', firstWave] }, gapMs ?? 0] };
    const dueAt = { $add: [startAt, { $ifNull: ['$waveOffsetMs', uniform] }] };
    await this.messages.updateMany(
      {
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
    { batch, wave }: WaveKey,
    { firstWave, waves }: DispatchGroup,
  ): Promise<WaveToEnqueue | undefined> {
    const next = await this.messages
      .findOne(
        { smsBatch: batch, wave: { $gt: wave, $lt: firstWave + waves }, status: 'pending' },
        { wave: 1, nextDispatchAt: 1 },
      )
      .sort({ wave: 1, _id: 1 })
      .lean<Pick<Message, 'wave' | 'nextDispatchAt'>>();
    if (next?.wave === undefined) return undefined;
    return { batch, wave: next.wave, ...(next.nextDispatchAt && { dueAt: next.nextDispatchAt }) };
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

  /**
   * Claims messages before they are pushed, each with its SIM. A message is claimed by one worker only, and only before
   * its deadline. From then on it is also redelivered to a phone that connects, so that it is not missed between the push
   * and its result.
   * @returns the ids that were claimed.
   */
  claim(messages: readonly MessageClaim[], offerUntil: Date, now: Date): Promise<ReadonlySet<string>> {
    return this.claimBatcher.submit({ messages, offerUntil, now });
  }

  /**
   * Moves messages to `dispatched` that the transport has, or may have, accepted. A message that the phone has already
   * reported on keeps its status.
   */
  async moveToDispatched(ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.dispatchedBatcher.submit({ ids, now });
  }

  /**
   * Releases the claims of messages that the transport did not accept: they are due again at `dueAt`, and can be cancelled. A
   * SIM that the service chose is chosen again. Those whose cancellation was requested meanwhile become `dispatched`
   * instead: the phone has the cancel request, and must not get the message after it.
   */
  async releaseClaims(ids: readonly Types.ObjectId[], dueAt: Date, now: Date): Promise<void> {
    const ifCancelRequested = (then: unknown, otherwise: unknown) => ({
      $cond: [isMissing('$cancelRequestedAt'), otherwise, then],
    });
    await this.messages.updateMany(
      { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: true } },
      [
        {
          $set: {
            status: ifCancelRequested('dispatched', '$status'),
            dispatchedAt: ifCancelRequested(now, '$$REMOVE'),
            nextDispatchAt: dueAt,
            unavailableSince: ifCancelRequested('$$REMOVE', { $ifNull: ['$unavailableSince', now] }),
            offerUntil: ifCancelRequested('$offerUntil', '$$REMOVE'),
            simSubscriptionId: { $cond: ['$isSimChosen', '$$REMOVE', coalesce('$simSubscriptionId')] },
            updatedAt: now,
          },
        },
        { $unset: ['pushStartedAt', 'pushClaim', 'sim', 'isSimChosen', 'simClaim'] },
      ],
      { updatePipeline: true },
    );
  }

  /**
   * Ends the attempts of messages of a pool that the caller has claimed for a device, and that it provably did not get. They
   * are due again, preferably for another device, and can be cancelled. Those whose cancellation was requested meanwhile are not
   * changed: the caller passes them to `releaseClaims` or `fail`.
   * @param attempt how it ended; absent if an ended attempt on this device is stored already: one is enough.
   * @returns how many.
   */
  async endAttempts(
    ids: readonly Types.ObjectId[],
    device: Types.ObjectId,
    dueAt: Date,
    now: Date,
    attempt?: Pick<AttemptEnd, 'outcome' | 'code'>,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      {
        _id: { $in: ids },
        device,
        status: { $in: ['pending', 'dispatched'] },
        moveDueAt: { $exists: false },
        cancelRequestedAt: { $exists: false },
      },
      [
        ...(attempt
          ? endAttemptUpdate({ ...attempt, endedAt: now, moveDueAt: dueAt })
          : dueAgainUpdate(dueAt, now)),
        ...(attempt?.outcome === 'refused'
          ? []
          : [{ $set: { unavailableSince: { $ifNull: ['$unavailableSince', now] } } }]),
      ],
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  /** Delays unclaimed messages until `dueAt` without counting an attempt, unless they were given another time meanwhile. */
  async postpone(ids: readonly Types.ObjectId[], dueAt: Date, now: Date): Promise<void> {
    await this.messages.updateMany(
      { _id: { $in: ids }, ...CLAIMABLE, nextDispatchAt: { $lte: now } },
      [{ $set: { nextDispatchAt: dueAt, moveDueAt: ifMoving(dueAt) } }],
      { updatePipeline: true },
    );
  }

  /** Fails messages that the caller has claimed, if they are still pending, and raises their event. @returns how many. */
  async fail(ids: readonly Types.ObjectId[], errorCode: string, now: Date): Promise<number> {
    const claimed = { _id: { $in: ids }, status: 'pending' as const, pushStartedAt: { $exists: true } };
    return this.writeFailure(claimed, errorCode, now);
  }

  /** Fails messages that no worker has claimed, and raises their event. @returns how many. */
  async failUnclaimed(ids: readonly Types.ObjectId[], errorCode: string, now: Date): Promise<number> {
    return this.writeFailure({ _id: { $in: ids }, ...CLAIMABLE }, errorCode, now);
  }

  private async writeFailure(filter: QueryFilter<Message>, errorCode: string, now: Date): Promise<number> {
    const maxTimeMS = COUNTING_WRITE_TIMEOUT_MS;
    return (await this.messages.updateMany(filter, failureUpdate(errorCode, now), { maxTimeMS }))
      .modifiedCount;
  }

  private async writeClaims(requests: readonly ClaimRequest[]): Promise<ReadonlySet<string>[]> {
    const messages = requests.flatMap((request) => request.messages);
    const ids = messages.map(({ id }) => id);
    const { offerUntil, now } = latestOf(requests);
    const pushClaim = new Types.ObjectId();
    const set = { pushStartedAt: now, pushClaim, offerUntil, updatedAt: now };
    const ofPool = messages.filter(isOfPool);
    const withoutPool = messages.filter((message) => !isOfPool(message));
    const claimedCounts = await Promise.all([
      withoutPool.length > 0 ? this.claimWithoutPool(withoutPool, set) : 0,
      ofPool.length > 0 ? this.claimOfPool(ofPool, set) : 0,
    ]);
    let claimedIds = ids;
    if (claimedCounts[0] + claimedCounts[1] !== ids.length) {
      const claimed = await this.messages.find({ _id: { $in: ids }, pushClaim }, { _id: 1 }).lean();
      claimedIds = claimed.map(({ _id }) => _id);
    }
    // Two runs of one wave may be in this batch: each id goes to one of them.
    const unassigned = new Set(claimedIds.map((id) => id.toHexString()));
    return requests.map(
      (request) =>
        new Set(request.messages.map(({ id }) => String(id)).filter((id) => unassigned.delete(id))),
    );
  }

  /** Messages without a pool never wait to move, so the condition is simpler than `CLAIMABLE`. */
  private async claimWithoutPool(messages: readonly MessageClaim[], set: ClaimSet): Promise<number> {
    const ids = messages.map(({ id }) => id);
    const result = await this.messages.updateMany(
      { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: false }, ...dueAndValid(set) },
      claimUpdate(messages, set),
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  private async claimOfPool(messages: readonly PoolMessageClaim[], set: ClaimSet): Promise<number> {
    const result = await this.messages.updateMany(
      {
        _id: { $in: messages.map(({ id }) => id) },
        ...CLAIMABLE,
        ...dueAndValid(set),
        $and: [
          {
            $or: [...groupBy(messages, ({ route }) => route.dispatchAttempts)].map(([attempts, same]) => ({
              _id: { $in: same.map(({ id }) => id) },
              dispatchAttempts: attempts > 0 ? attempts : { $exists: false },
            })),
          },
        ],
      },
      poolClaimUpdate(messages, set),
      { updatePipeline: true },
    );
    return result.modifiedCount;
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
      { $group: { _id: { batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  private async writeDispatched(requests: readonly DispatchedRequest[]): Promise<void> {
    const { now } = latestOf(requests);
    await this.messages.updateMany(
      { _id: { $in: requests.flatMap(({ ids }) => ids) } },
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

  private async loadAwaitingDispatch(keys: readonly WaveKey[]): Promise<Map<string, OutgoingMessage[]>> {
    const found = await Promise.all(
      [...groupBy(keys, ({ wave }) => wave)].map(([wave, ofBatches]) =>
        this.messages
          .find({
            smsBatch: { $in: ofBatches.map(({ batch }) => batch) },
            wave,
            $or: [{ status: 'pending' }, { moveDueAt: { $exists: true } }],
          })
          .sort({ _id: 1 })
          .lean<OutgoingMessage[]>(),
      ),
    );
    return groupBy(found.flat(), ({ smsBatch, wave = 0 }) => waveId({ batch: smsBatch, wave }));
  }
}

/** Condition of the messages that have not expired, and were neither paused nor given another time after they were read. */
const dueAndValid = ({ pushStartedAt: now }: ClaimSet) => ({
  nextDispatchAt: { $lte: now },
  validUntil: { $not: { $lte: now } },
});

const isOfPool = (message: MessageClaim): message is PoolMessageClaim => message.route !== undefined;

/** Of a message that moves, it also removes what the phone that had it before has acknowledged. */
function poolClaimUpdate(messages: readonly PoolMessageClaim[], set: ClaimSet): PipelineStage[] {
  return [
    { $set: { claimed: valuePerDocument(messages, ({ id }) => id, toPoolClaimFields) } },
    {
      $set: {
        ...set,
        dispatchAttempts: { $add: [{ $ifNull: ['$dispatchAttempts', 0] }, 1] },
        dispatchedAt: { $cond: [{ $eq: ['$status', 'dispatched'] }, set.pushStartedAt, '$$REMOVE'] },
        device: '$claimed.device',
        sim: coalesce('$claimed.sim'),
        simSubscriptionId: coalesce('$claimed.simSubscriptionId'),
        isSimChosen: coalesce('$claimed.isSimChosen'),
        simClaim: coalesce('$claimed.simClaim'),
        choice: coalesce('$claimed.choice', '$choice'),
      },
    },
    { $unset: ['claimed', 'waitingFor', 'moveDueAt', 'pushReceivedAt', 'sendAttemptedAt'] },
  ];
}

const toPoolClaimFields = ({ sim, reservationId, route }: PoolMessageClaim) => ({
  device: route.device,
  ...(sim && { sim }),
  ...(reservationId && { simClaim: reservationId }),
  ...(route.simSubscriptionId !== undefined && {
    simSubscriptionId: route.simSubscriptionId,
    isSimChosen: true,
  }),
  ...(route.choice && { choice: route.choice }),
});

/** A pipeline costs more than an update, and is needed only to store the SIM of each message. */
function claimUpdate(messages: readonly MessageClaim[], set: ClaimSet) {
  if (messages.every(({ sim }) => !sim))
    return { $set: set, $inc: { dispatchAttempts: 1 }, $unset: { waitingFor: 1, sim: 1 } };
  return [
    { $set: { claimed: valuePerDocument(messages, ({ id }) => id, toClaimFields) } },
    {
      $set: {
        ...set,
        dispatchAttempts: { $add: [{ $ifNull: ['$dispatchAttempts', 0] }, 1] },
        sim: coalesce('$claimed.sim'),
        simSubscriptionId: coalesce('$claimed.simSubscriptionId', '$simSubscriptionId'),
        isSimChosen: coalesce('$claimed.isSimChosen'),
        simClaim: coalesce('$claimed.simClaim'),
      },
    },
    { $unset: ['claimed', 'waitingFor'] },
  ];
}

const toClaimFields = ({ sim, chosenSubscriptionId, reservationId }: MessageClaim) => ({
  ...(sim && { sim }),
  ...(chosenSubscriptionId !== undefined && { simSubscriptionId: chosenSubscriptionId, isSimChosen: true }),
  ...(reservationId && { simClaim: reservationId }),
});
