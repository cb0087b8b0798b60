import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { WaitReason } from '../../devices/states/wait-reasons';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import type { CountedOutcome } from '../../messages/batch-progress';
import { Batch, carriedBy, VISIBLE_BATCH } from '../../messages/batch.schema';
import { firstCharacters, shortText } from '../../messages/bounded-message';
import { UNCOUNTED_CODES } from '../../messages/failures/withdrawn-codes';
import { SEARCH_TIMEOUT_MS, withSearchTimeout } from '../../messages/lists/search-timeout';
import { earlierThan, type Position } from '../../messages/lists/message-cursor';
import { BATCH_INDEX, Message } from '../../messages/message.schema';

/** Batches that are scheduled for later, or paused. */
export const BATCH_STATES = ['scheduled', 'paused'] as const;
export type BatchState = (typeof BATCH_STATES)[number];

/** Which batches of an account to list; an absent field does not filter. */
export interface BatchFilter {
  readonly device?: Types.ObjectId;
  readonly pool?: Types.ObjectId;
  readonly state?: BatchState;
  /** Beyond 1, batches to a single recipient are not read. */
  readonly minRecipients?: number;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

/** A batch without its groups, of which there may be many. */
export type ListedBatch = Omit<Batch, 'groups' | 'chargedDays' | 'cancellations'> & {
  /** The first time of its messages that was asked for. */
  readonly scheduledAt?: Date;
};

/** Messages of a batch with the same outcome, phone, SIM and reason to wait; either all have an `until`, or none has. */
export interface MessageTally extends CountedOutcome {
  readonly count: number;
  readonly device: Types.ObjectId;
  readonly sim?: Types.ObjectId;
  readonly reason?: WaitReason;
  /** The last time of those that wait for this reason. */
  readonly until?: Date;
  /** When the first and the last of those that are pending are due. */
  readonly firstDueAt?: Date;
  readonly lastDueAt?: Date;
  readonly updatedAt: Date;
}

const MAX_TEXT_CHARACTERS = 10_000;
const EPOCH = new Date(0);

const SHORT_TEXTS = Object.fromEntries(
  ['message', 'encryptedMessage', 'messageTemplate', 'recipientPreview'].map((field) => [
    field,
    firstCharacters(`$${field}`, MAX_TEXT_CHARACTERS),
  ]),
);

/** Reads batches across all devices of an account. */
@Injectable()
export class BatchViewsRepository {
  constructor(
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
    @InjectModel(Message.name) private readonly messages: Model<Message>,
  ) {}

  /** Lists batches, newest first. @throws SearchTooSlow if a filter passes over too many. */
  list(
    account: AccountScope,
    filter: BatchFilter,
    after: Position | undefined,
    limit: number,
    now: Date,
  ): Promise<ListedBatch[]> {
    return withSearchTimeout(() =>
      this.batches
        .aggregate<ListedBatch>([
          { $match: batchCondition(account, filter, after, now) },
          { $sort: { createdAt: -1, _id: -1 } },
          { $limit: limit },
          { $set: { ...SHORT_TEXTS, scheduledAt: { $min: '$groups.scheduledAt' } } },
          { $unset: ['groups', 'chargedDays', 'cancellations'] },
        ])
        .option({ maxTimeMS: SEARCH_TIMEOUT_MS })
        .exec(),
    );
  }

  /** Counts the messages of a batch by what its progress is derived from. */
  tally({ _id, user }: Pick<Batch, '_id' | 'user'>): Promise<MessageTally[]> {
    const isFailed = { $eq: ['$status', 'failed'] };
    const isUncounted = { $and: [isFailed, { $in: ['$errorCode', UNCOUNTED_CODES] }] };
    const ifPending = (then: string) => ({
      $cond: [{ $eq: ['$status', 'pending'] }, { $ifNull: [then, null] }, null],
    });
    return this.messages
      .aggregate<MessageTally>([
        { $match: { smsBatch: _id, user } },
        {
          $group: {
            _id: {
              status: '$status',
              uncountedAs: { $cond: [isUncounted, '$errorCode', null] },
              device: '$device',
              sim: { $ifNull: ['$sim', null] },
              reason: ifPending('$waitingFor.reason'),
              hasUntil: { $eq: [{ $type: '$waitingFor.until' }, 'date'] },
            },
            count: { $sum: 1 },
            until: { $max: ifPending('$waitingFor.until') },
            firstDueAt: { $min: ifPending('$nextDispatchAt') },
            lastDueAt: { $max: ifPending('$nextDispatchAt') },
            settledAt: { $max: '$settledAt' },
            updatedAt: { $max: '$updatedAt' },
            // Objects compare by their first field first.
            failure: {
              $min: {
                $cond: [
                  isFailed,
                  {
                    at: { $ifNull: ['$failedAt', EPOCH] },
                    text: {
                      $cond: [
                        { $eq: [{ $type: '$errorMessage' }, 'string'] },
                        shortText({ $ifNull: ['$errorMessage', ''] }),
                        null,
                      ],
                    },
                  },
                  null,
                ],
              },
            },
          },
        },
        {
          $project: {
            _id: 0,
            count: 1,
            settledAt: 1,
            updatedAt: 1,
            device: '$_id.device',
            until: coalesce('$until'),
            firstDueAt: coalesce('$firstDueAt'),
            lastDueAt: coalesce('$lastDueAt'),
            status: '$_id.status',
            sim: coalesce('$_id.sim'),
            reason: coalesce('$_id.reason'),
            errorCode: coalesce('$_id.uncountedAs'),
            failedAt: coalesce('$failure.at'),
            errorMessage: coalesce('$failure.text'),
          },
        },
      ])
      .option({ hint: BATCH_INDEX })
      .exec();
  }
}

function batchCondition(
  account: AccountScope,
  { device, pool, state, minRecipients = 1, from, to }: BatchFilter,
  after: Position | undefined,
  now: Date,
): QueryFilter<Batch> {
  const conditions = [
    ...(device ? [carriedBy(device)] : []),
    ...(after ? [earlierThan<Batch>('createdAt', after)] : []),
  ];
  return {
    user: account.user,
    ...VISIBLE_BATCH,
    ...(pool && { pool }),
    // The condition of the index, to the letter.
    ...(minRecipients > 1 && {
      recipientCount: { $gt: 1, ...(minRecipients > 2 && { $gte: minRecipients }) },
    }),
    ...(state === 'paused' && { pausedAt: { $exists: true } }),
    ...(state === 'scheduled' && { 'groups.scheduledAt': { $gt: now } }),
    ...((from ?? to) && { createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}
