import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, Types } from 'mongoose';
import { Coalescer, latestOf } from '../../common/coalescer';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { ofAccounts } from '../../infrastructure/mongo/owned-ids';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE } from '../../messages/ended-attempt';
import { Message } from '../../messages/message.schema';
import {
  asRouted,
  claimInTurn,
  dueAndValid,
  isOfPool,
  MAX_CLAIMED_AT_ONCE,
  type MessageClaim,
  notPushedSince,
  onTheirPhones,
  type PoolMessageClaim,
  toClaimFields,
  toPoolClaimFields,
} from './message-claim';

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

/** The claims of messages that are pushed to phones. A claimed message can no longer be withdrawn. */
@Injectable()
export class PushClaimsRepository {
  private readonly coalescer = new Coalescer(
    (requests: readonly ClaimRequest[]) => this.writeClaims(requests),
    { maxGroupSize: MAX_CLAIMED_AT_ONCE, sizeOf: ({ messages }) => messages.length },
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Claims messages before they are pushed, each with its SIM. A message is claimed by one worker only, and only before
   * its deadline. From then on it is also redelivered to a phone that connects, so that it is not missed between the push
   * and its result.
   * @returns the ids that were claimed.
   */
  claim(messages: readonly MessageClaim[], redeliverUntil: Date, now: Date): Promise<ReadonlySet<string>> {
    return this.coalescer.submit({ messages, redeliverUntil, now });
  }

  private async writeClaims(requests: readonly ClaimRequest[]): Promise<ReadonlySet<string>[]> {
    const { redeliverUntil, now } = latestOf(requests);
    return claimInTurn(requests, (messages) => {
      const pushClaim = new Types.ObjectId();
      return this.write(messages, { pushStartedAt: now, pushClaim, redeliverUntil, updatedAt: now });
    });
  }

  /** @returns the ids that were claimed. */
  private async write(messages: readonly MessageClaim[], set: ClaimSet): Promise<readonly Types.ObjectId[]> {
    const ids = messages.map(({ id }) => id);
    const ofPool = messages.filter(isOfPool);
    const withoutPool = messages.filter((message) => !isOfPool(message));
    const counts = await Promise.all([
      withoutPool.length > 0 ? this.claimWithoutPool(withoutPool, set) : 0,
      ofPool.length > 0 ? this.claimOfPool(ofPool, set) : 0,
    ]);
    if (counts[0] + counts[1] === ids.length) return ids;
    const own = { ...ofAccounts(messages), _id: { $in: ids } };
    const claimed = await this.messages.find({ ...own, pushClaim: set.pushClaim }, { _id: 1 }).lean();
    return claimed.map(({ _id }) => _id);
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
