import type { Model, PipelineStage, Types } from 'mongoose';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { ofAccounts } from '../../infrastructure/mongo/owned-ids';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { CLAIMABLE } from '../../messages/ended-attempt';
import type { Message } from '../../messages/message.schema';
import {
  asRead,
  dueAndValid,
  isOfPool,
  type MessageClaim,
  type PoolMessageClaim,
  toClaimFields,
  toPoolClaimFields,
} from './message-claim';

/** What the write of a claim changes, besides the phone and the SIM of each message. */
export interface ClaimWrite {
  readonly now: Date;
  readonly set: Readonly<Record<string, unknown>> & { readonly pushClaim: Types.ObjectId };
  readonly unset: readonly string[];
  /** Whether the claim begins an attempt. */
  readonly countsAttempt: boolean;
  /** Also set and unset in messages of a pool, by expressions. */
  readonly ofPool: {
    readonly set: Readonly<Record<string, unknown>>;
    readonly unset: readonly string[];
  };
}

const ATTEMPTS_PLUS_ONE = { $add: [{ $ifNull: ['$dispatchAttempts', 0] }, 1] };

/**
 * Claims messages that are still due, and were neither pushed nor moved since they were read, each with its SIM.
 * @param messages none of them twice.
 * @returns the ids of those that were claimed.
 */
export async function writeClaim(
  model: Model<Message>,
  messages: readonly MessageClaim[],
  write: ClaimWrite,
): Promise<readonly Types.ObjectId[]> {
  const ids = messages.map(({ id }) => id);
  const ofPool = messages.filter(isOfPool);
  const withoutPool = messages.filter((message) => !isOfPool(message));
  const counts = await Promise.all([
    withoutPool.length > 0 ? claimWithoutPool(model, withoutPool, write) : 0,
    ofPool.length > 0 ? claimOfPool(model, ofPool, write) : 0,
  ]);
  if (counts[0] + counts[1] === ids.length) return ids;
  const own = { ...ofAccounts(messages), _id: { $in: ids } };
  const claimed = await model.find({ ...own, pushClaim: write.set.pushClaim }, { _id: 1 }).lean();
  return claimed.map(({ _id }) => _id);
}

/** Messages without a pool never wait to move, so the condition is simpler than `CLAIMABLE`. */
async function claimWithoutPool(
  model: Model<Message>,
  messages: readonly MessageClaim[],
  write: ClaimWrite,
): Promise<number> {
  const result = await model.updateMany(
    {
      ...ofAccounts(messages),
      _id: { $in: messages.map(({ id }) => id) },
      status: 'pending',
      pushStartedAt: { $exists: false },
      ...dueAndValid(write.now),
      ...asRead(messages),
    },
    // A pipeline costs more than an update, and is needed only to store the SIM of each message.
    messages.some(({ sim }) => sim) ? updateWithSims(messages, write) : updateWithoutSims(write),
    { updatePipeline: true },
  );
  return result.modifiedCount;
}

function updateWithoutSims({ set, unset, countsAttempt }: ClaimWrite) {
  return {
    $set: set,
    $unset: Object.fromEntries([...unset, 'sim'].map((field) => [field, 1])),
    ...(countsAttempt && { $inc: { dispatchAttempts: 1 } }),
  };
}

const updateWithSims = (
  messages: readonly MessageClaim[],
  { set, unset, countsAttempt }: ClaimWrite,
): PipelineStage.FacetPipelineStage[] => [
  { $set: { claimed: valuePerDocument(messages, ({ id }) => id, toClaimFields) } },
  {
    $set: {
      ...set,
      ...(countsAttempt && { dispatchAttempts: ATTEMPTS_PLUS_ONE }),
      sim: coalesce('$claimed.sim'),
      simSubscriptionId: coalesce('$claimed.simSubscriptionId', '$simSubscriptionId'),
      isSimChosen: coalesce('$claimed.isSimChosen'),
      simReservation: coalesce('$claimed.simReservation'),
    },
  },
  { $unset: ['claimed', ...unset] },
];

async function claimOfPool(
  model: Model<Message>,
  messages: readonly PoolMessageClaim[],
  { now, set, unset, countsAttempt, ofPool }: ClaimWrite,
): Promise<number> {
  const result = await model.updateMany(
    {
      ...ofAccounts(messages),
      _id: { $in: messages.map(({ id }) => id) },
      ...CLAIMABLE,
      ...dueAndValid(now),
      pool: { $exists: true },
      $and: [asRead(messages)],
    },
    [
      { $set: { claimed: valuePerDocument(messages, ({ id }) => id, toPoolClaimFields) } },
      {
        $set: {
          ...set,
          ...ofPool.set,
          ...(countsAttempt && { dispatchAttempts: ATTEMPTS_PLUS_ONE }),
          device: '$claimed.device',
          sim: coalesce('$claimed.sim'),
          simSubscriptionId: coalesce('$claimed.simSubscriptionId'),
          isSimChosen: coalesce('$claimed.isSimChosen'),
          simReservation: coalesce('$claimed.simReservation'),
          choice: coalesce('$claimed.choice', '$choice'),
        },
      },
      { $unset: ['claimed', ...unset, ...ofPool.unset] },
    ],
    { updatePipeline: true },
  );
  return result.modifiedCount;
}
