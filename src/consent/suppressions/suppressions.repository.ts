import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types, type UpdateQuery } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Coalescer } from '../../common/coalescer';
import { idsOf } from '../../common/documents';
import { groupBy, groupsOf } from '../../common/group-by';
import { isDuplicateKey, upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import { earlierThan, type Position } from '../../messages/lists/message-cursor';
import { ALL_TOPICS } from '../records/consent-record.schema';
import { heldUntil, isLiftedByPerson } from './suppression-rules';
import { NUMBER_INDEX, Suppression } from './suppression.schema';

/** Which blocks to list; an absent field does not filter. */
export interface SuppressionFilter {
  readonly numberKeys?: readonly string[];
  readonly state?: 'out' | 'held';
}

/** A decision to store; times decide which of two is the later one. */
export type StoredDecision = Omit<Suppression, '_id' | 'user' | 'heldAt'>;

interface BlocksRequest {
  readonly account: AccountScope;
  readonly numberKeys: readonly string[];
}

/** Numbers in one query, such as those of several waves. */
const MAX_NUMBERS = 1_000;

@Injectable()
export class SuppressionsRepository {
  private readonly blocks = new Coalescer((requests: readonly BlocksRequest[]) => this.readBlocks(requests), {
    maxGroupSize: MAX_NUMBERS,
    sizeOf: ({ numberKeys }) => numberKeys.length,
  });

  constructor(@InjectModel(Suppression.name) private readonly suppressions: Model<Suppression>) {}

  /**
   * Reads the blocks of numbers, lifted ones included, by the key of the number. Concurrent reads share a query; it begins after the call and
   * reads from the primary, so that it finds every block that was stored before.
   */
  findOfNumbers(
    account: AccountScope,
    numberKeys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly Suppression[]>> {
    return this.blocks.submit({ account, numberKeys });
  }

  /**
   * Stores that a person wants no more messages, unless a later decision lifts that. What is out already stays out, with the
   * later time; of the same time, out wins.
   */
  async block({ user }: AccountScope, decision: StoredDecision): Promise<void> {
    const { numberKey, topic, at, ...said } = decision;
    await this.upsert(
      {
        ...{ user, numberKey, topic },
        $or: [{ state: 'lifted', at: { $lte: at } }, { state: 'held' }, { state: 'out', at: { $lt: at } }],
      },
      { $set: said, $max: { at }, $unset: { ...absentFields(said), heldAt: 1 } },
    );
  }

  /** The same if it is not certain what the person wants: what is out or held already stays so. */
  async hold({ user }: AccountScope, decision: StoredDecision): Promise<void> {
    const { numberKey, topic, at, ...said } = decision;
    const number = { user, numberKey, topic };
    await this.upsert(
      { ...number, state: 'lifted', at: { $lte: at } },
      { $set: { ...said, at, heldAt: at }, $unset: absentFields(said) },
    );
    // So that an older text that lifts it changes nothing.
    await this.suppressions.updateOne(
      { ...number, state: { $in: ['out', 'held'] }, at: { $lt: at } },
      { $max: { at } },
    );
  }

  /** Lifts the blocks of a number, of all topics, unless a later decision, or one of the same time, blocks it. */
  async lift(account: AccountScope, decision: Omit<StoredDecision, 'topic'>): Promise<void> {
    const { user } = account;
    const { numberKey, at, ...said } = decision;
    const update = { $set: { ...said, at }, $unset: { ...absentFields(said), heldAt: 1 as const } };
    // For all topics first: a text that blocks a topic and is stored meanwhile finds it, see `liftOlder`.
    await this.upsert({ user, numberKey, topic: ALL_TOPICS, at: { $lt: at } }, update);
    await this.updateBefore(account, numberKey, at, update);
  }

  /** Lifts blocks of topics that are older than the START of the person, which was stored before or meanwhile. */
  async liftOlder(account: AccountScope, numberKey: string): Promise<void> {
    const blocks = (await this.findOfNumbers(account, [numberKey])).get(numberKey) ?? [];
    const lifted = blocks.find(isLiftedByPerson);
    if (!lifted) return;
    const { at, source } = lifted;
    await this.updateBefore(account, numberKey, at, {
      $set: { state: 'lifted', at, source },
      $unset: { ...absentFields({}), heldAt: 1 },
    });
  }

  find({ user }: AccountScope, id: Types.ObjectId): Promise<Suppression | null> {
    return this.suppressions.findOne({ _id: id, user }).lean<Suppression>();
  }

  /** Lifts one block. @returns false if it is lifted or gone. */
  async liftOne(
    { user }: AccountScope,
    id: Types.ObjectId,
    { at, source, reason }: Pick<Suppression, 'at' | 'source' | 'reason'>,
  ): Promise<boolean> {
    const result = await this.suppressions.updateOne(
      { _id: id, user, state: { $in: ['out', 'held'] } },
      {
        $set: { state: 'lifted', source, ...(reason !== undefined && { reason }) },
        $max: { at },
        $unset: { ...absentFields({ reason }), heldAt: 1 },
      },
    );
    return result.matchedCount === 1;
  }

  /** Lists blocks that are not lifted, the latest first. */
  list(
    { user }: AccountScope,
    { numberKeys, state }: SuppressionFilter,
    after: Position | undefined,
    limit: number,
    now: Date,
  ): Promise<Suppression[]> {
    const outSince = heldUntil(now);
    const conditions: QueryFilter<Suppression>[] = [
      ...(state === 'out' ? [{ $or: [{ state: 'out' as const }, { heldAt: { $lte: outSince } }] }] : []),
      ...(after ? [earlierThan<Suppression>('at', after)] : []),
    ];
    return (
      this.suppressions
        .find({
          user,
          ...(numberKeys && { numberKey: { $in: numberKeys } }),
          ...(state === 'held' ? { state, heldAt: { $gt: outSince } } : { state: { $in: ['out', 'held'] } }),
          ...(conditions.length > 0 && { $and: conditions }),
        })
        .sort({ at: -1, _id: -1 })
        .limit(limit)
        // Otherwise the database may read all blocks of the account, because of the time.
        .setOptions({ ...(numberKeys && { hint: NUMBER_INDEX }) })
        .lean<Suppression[]>()
    );
  }

  /** Updates the blocks of a number that are not lifted and older than a time. */
  private async updateBefore(
    account: AccountScope,
    numberKey: string,
    at: Date,
    update: UpdateQuery<Suppression>,
  ): Promise<void> {
    const blocks = (await this.findOfNumbers(account, [numberKey])).get(numberKey) ?? [];
    if (blocks.every(({ state }) => state === 'lifted')) return;
    await this.suppressions.updateMany(
      { _id: { $in: idsOf(blocks) }, user: account.user, state: { $in: ['out', 'held'] }, at: { $lt: at } },
      update,
    );
  }

  /** Inserts what does not exist. If it exists and does not meet the conditions, nothing changes. */
  private async upsert(filter: QueryFilter<Suppression>, update: UpdateQuery<Suppression>): Promise<void> {
    try {
      await upsertWithRetry(() => this.suppressions.updateOne(filter, update, { upsert: true }));
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
    }
  }

  private async readBlocks(requests: readonly BlocksRequest[]): Promise<Map<string, Suppression[]>[]> {
    const byAccount = groupsOf(requests, ({ account }) => account.user.toHexString());
    const found = await this.suppressions
      .find({
        $or: byAccount.map((ofAccount) => ({
          user: ofAccount[0].account.user,
          numberKey: { $in: [...new Set(ofAccount.flatMap(({ numberKeys }) => numberKeys))] },
        })),
      })
      .read('primary')
      .lean<Suppression[]>();
    // A key belongs to one account.
    const byNumber = groupBy(found, ({ numberKey }) => numberKey);
    return requests.map(
      ({ numberKeys }) =>
        new Map(numberKeys.flatMap((key) => (byNumber.has(key) ? [[key, byNumber.get(key) ?? []]] : []))),
    );
  }
}

type Said = Pick<Suppression, 'words' | 'message' | 'reason'>;

/** For `$unset`: the optional fields that the new decision does not have. */
const absentFields = (said: Said): Partial<Record<keyof Said, 1>> => ({
  ...(said.words === undefined && { words: 1 }),
  ...(said.message === undefined && { message: 1 }),
  ...(said.reason === undefined && { reason: 1 }),
});
