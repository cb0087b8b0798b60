import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, QueryFilter, Types } from 'mongoose';
import { Coalescer, CoalescedLoader, latestOf } from '../../common/coalescer';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { COUNTING_WRITE_TIMEOUT_MS } from '../../totals/periods';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { isMissing } from '../../infrastructure/mongo/exists';
import { byOwnedIds, ofAccounts, type OwnedId } from '../../infrastructure/mongo/owned-ids';
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
import {
  asRouted,
  dueAndValid,
  isOfPool,
  type MessageClaim,
  notPushedSince,
  onTheirPhones,
  type PoolMessageClaim,
  toClaimFields,
  toPoolClaimFields,
} from './message-claim';
import type { WaveKey, WaveToEnqueue } from '../waves/wave-key';

/** A limit, so that some waves are pushed while others are claimed or stored. */
const MESSAGES_PER_WRITE = 250;

/** A group whose start is stored. */
type GroupWithStart = DispatchGroup & Required<Pick<DispatchGroup, 'startAt'>>;

/** What a claim sets on all of its messages. */
interface ClaimSet {
  readonly pushStartedAt: Date;
  readonly pushClaim: Types.ObjectId;
  readonly redeliverUntil: Date;
  readonly updatedAt: Date;
}

interface ClaimRequest {
  readonly messages: readonly MessageClaim[];
  readonly redeliverUntil: Date;
  readonly now: Date;
}

interface DispatchedRequest {
  readonly messages: readonly OwnedId[];
  readonly now: Date;
}

const waveId = ({ batch, wave }: WaveKey): string => `${batch.toHexString()} ${wave}`;

/** Queries and writes for dispatching messages. Each state change is one conditional write. */
@Injectable()
export class DispatchRepository {
  private readonly awaitingDispatchByWave = new CoalescedLoader(waveId, (keys: readonly WaveKey[]) =>
    this.loadAwaitingDispatch(keys),
  );
  private readonly claimCoalescer = new Coalescer(
    (requests: readonly ClaimRequest[]) => this.writeClaims(requests),
    { maxGroupSize: MESSAGES_PER_WRITE, sizeOf: ({ messages }) => messages.length },
  );
  private readonly dispatchedCoalescer = new Coalescer(
    async (requests: readonly DispatchedRequest[]) => {
      await this.writeDispatched(requests);
      return requests.map(() => undefined);
    },
    { maxGroupSize: MESSAGES_PER_WRITE, sizeOf: ({ messages }) => messages.length },
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

  /**
   * Claims messages before they are pushed, each with its SIM. A message is claimed by one worker only, and only before
   * its deadline. From then on it is also redelivered to a phone that connects, so that it is not missed between the push
   * and its result.
   * @returns the ids that were claimed.
   */
  claim(messages: readonly MessageClaim[], redeliverUntil: Date, now: Date): Promise<ReadonlySet<string>> {
    return this.claimCoalescer.submit({ messages, redeliverUntil, now });
  }

  /**
   * Moves messages to `dispatched` that the transport has, or may have, accepted. A message that the phone has already
   * reported on keeps its status.
   */
  async moveToDispatched(messages: readonly OwnedId[], now: Date): Promise<void> {
    await this.dispatchedCoalescer.submit({ messages, now });
  }

  /**
   * Releases the claims of messages that the transport did not accept: they are due again at `dueAt`, and can be cancelled. A
   * SIM that the service chose is chosen again. Those whose cancellation was requested meanwhile become `dispatched`
   * instead: the phone has the cancel request, and must not get the message after it.
   */
  async releaseClaims(messages: readonly OwnedId[], dueAt: Date, now: Date): Promise<void> {
    const ifCancelRequested = (then: unknown, otherwise: unknown) => ({
      $cond: [isMissing('$cancelRequestedAt'), otherwise, then],
    });
    await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'pending', pushStartedAt: { $exists: true } },
      [
        {
          $set: {
            status: ifCancelRequested('dispatched', '$status'),
            dispatchedAt: ifCancelRequested(now, '$$REMOVE'),
            nextDispatchAt: dueAt,
            unavailableSince: ifCancelRequested('$$REMOVE', { $ifNull: ['$unavailableSince', now] }),
            redeliverUntil: ifCancelRequested('$redeliverUntil', '$$REMOVE'),
            simSubscriptionId: { $cond: ['$isSimChosen', '$$REMOVE', coalesce('$simSubscriptionId')] },
            updatedAt: now,
          },
        },
        { $unset: ['pushStartedAt', 'pushClaim', 'sim', 'isSimChosen', 'simReservation'] },
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
    messages: readonly OwnedId[],
    device: Types.ObjectId,
    dueAt: Date,
    now: Date,
    attempt?: Pick<AttemptEnd, 'outcome' | 'code'>,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      {
        ...byOwnedIds(messages),
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
  async postpone(messages: readonly OwnedId[], dueAt: Date, now: Date): Promise<void> {
    await this.messages.updateMany(
      { ...byOwnedIds(messages), ...CLAIMABLE, nextDispatchAt: { $lte: now } },
      [{ $set: { nextDispatchAt: dueAt, moveDueAt: ifMoving(dueAt) } }],
      { updatePipeline: true },
    );
  }

  /** Fails messages that the caller has claimed, if they are still pending, and raises their event. @returns how many. */
  async fail(messages: readonly OwnedId[], errorCode: string, now: Date): Promise<number> {
    const result = await this.messages.updateMany(
      { ...byOwnedIds(messages), status: 'pending', pushStartedAt: { $exists: true } },
      failureUpdate(errorCode, now),
      { maxTimeMS: COUNTING_WRITE_TIMEOUT_MS },
    );
    return result.modifiedCount;
  }

  async removeOfBatch({ user, batch }: WaveKey): Promise<void> {
    await this.messages.deleteMany({ user, smsBatch: batch });
  }

  private async writeClaims(requests: readonly ClaimRequest[]): Promise<ReadonlySet<string>[]> {
    const messages = requests.flatMap((request) => request.messages);
    const ids = messages.map(({ id }) => id);
    const { redeliverUntil, now } = latestOf(requests);
    const pushClaim = new Types.ObjectId();
    const set = { pushStartedAt: now, pushClaim, redeliverUntil, updatedAt: now };
    const ofPool = messages.filter(isOfPool);
    const withoutPool = messages.filter((message) => !isOfPool(message));
    const claimedCounts = await Promise.all([
      withoutPool.length > 0 ? this.claimWithoutPool(withoutPool, set) : 0,
      ofPool.length > 0 ? this.claimOfPool(ofPool, set) : 0,
    ]);
    let claimedIds = ids;
    if (claimedCounts[0] + claimedCounts[1] !== ids.length) {
      const own = { ...ofAccounts(messages), _id: { $in: ids } };
      const claimed = await this.messages.find({ ...own, pushClaim }, { _id: 1 }).lean();
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
      {
        ...ofAccounts(messages),
        _id: { $in: ids },
        status: 'pending',
        pushStartedAt: { $exists: false },
        ...dueAndValid(set.pushStartedAt),
        ...onTheirPhones(messages),
        ...notPushedSince(messages),
      },
      claimUpdate(messages, set),
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }

  private async claimOfPool(messages: readonly PoolMessageClaim[], set: ClaimSet): Promise<number> {
    const result = await this.messages.updateMany(
      {
        ...ofAccounts(messages),
        _id: { $in: messages.map(({ id }) => id) },
        ...CLAIMABLE,
        ...dueAndValid(set.pushStartedAt),
        ...asRouted(messages),
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
      { $group: { _id: { user: '$user', batch: '$smsBatch', wave: '$wave' } } },
    ]);
    return found.map(({ _id }) => _id);
  }

  private async writeDispatched(requests: readonly DispatchedRequest[]): Promise<void> {
    const { now } = latestOf(requests);
    await this.messages.updateMany(
      byOwnedIds(requests.flatMap(({ messages }) => messages)),
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
        simReservation: coalesce('$claimed.simReservation'),
        choice: coalesce('$claimed.choice', '$choice'),
      },
    },
    {
      $unset: [
        'claimed',
        'waitingFor',
        'paceSlot',
        'giveUpAt',
        'moveDueAt',
        'pushReceivedAt',
        'sendAttemptedAt',
      ],
    },
  ];
}

/** A pipeline costs more than an update, and is needed only to store the SIM of each message. */
function claimUpdate(messages: readonly MessageClaim[], set: ClaimSet) {
  if (messages.every(({ sim }) => !sim))
    return {
      $set: set,
      $inc: { dispatchAttempts: 1 },
      $unset: { waitingFor: 1, paceSlot: 1, giveUpAt: 1, sim: 1 },
    };
  return [
    { $set: { claimed: valuePerDocument(messages, ({ id }) => id, toClaimFields) } },
    {
      $set: {
        ...set,
        dispatchAttempts: { $add: [{ $ifNull: ['$dispatchAttempts', 0] }, 1] },
        sim: coalesce('$claimed.sim'),
        simSubscriptionId: coalesce('$claimed.simSubscriptionId', '$simSubscriptionId'),
        isSimChosen: coalesce('$claimed.isSimChosen'),
        simReservation: coalesce('$claimed.simReservation'),
      },
    },
    { $unset: ['claimed', 'waitingFor', 'paceSlot', 'giveUpAt'] },
  ];
}
