import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { WaitReason } from '../../devices/sims/wait-reasons';
import type { Batch } from '../../messages/batch.schema';
import { BatchNotOnAccount } from '../../messages/lists/message-list.errors';
import { encodeCursor, type Position } from '../../messages/lists/message-cursor';
import { BatchChangesRepository } from './batch-changes.repository';
import {
  type BatchFilter,
  BatchViewsRepository,
  type ListedBatch,
  type MessageTally,
} from './batch-views.repository';

export interface BatchQuery {
  readonly filter: BatchFilter;
  readonly limit: number;
  /** Absent: from the newest. */
  readonly after?: Position;
}

export interface BatchPage {
  readonly batches: readonly ListedBatch[];
  readonly limit: number;
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** Messages that wait for the same reason. */
export interface HeldBack {
  readonly reason: WaitReason;
  readonly count: number;
  /** When the last of them can leave, by what is known; absent if that is not known of any. */
  readonly until?: Date;
}

/** Messages of a SIM. */
export interface SimShare {
  readonly sim: Types.ObjectId;
  readonly messages: number;
}

/** A batch with what its messages came to. */
export interface BatchSummary {
  readonly batch: Batch;
  readonly outcomes: readonly MessageTally[];
  /** The largest first. */
  readonly sims: readonly SimShare[];
  readonly heldBack: readonly HeldBack[];
}

/** Reads batches across all devices of an account, without their messages. */
@Injectable()
export class BatchViews {
  constructor(
    private readonly batches: BatchChangesRepository,
    private readonly views: BatchViewsRepository,
    private readonly clock: Clock,
  ) {}

  /** Lists batches, newest first; without progress, because it is derived from their messages. @throws SearchTooSlow */
  async list(account: AccountScope, { filter, limit, after }: BatchQuery): Promise<BatchPage> {
    const found = await this.views.list(account, filter, after, limit + 1, this.clock.now());
    const batches = found.slice(0, limit);
    const last = batches.at(-1);
    const hasMore = found.length > limit;
    const nextCursor =
      hasMore && last ? encodeCursor({ createdAt: last.createdAt, id: last._id, order: 'desc' }) : null;
    return { batches, limit, nextCursor, hasMore };
  }

  /** @throws BatchNotOnAccount */
  async get(account: AccountScope, id: Types.ObjectId): Promise<BatchSummary> {
    const batch = await this.batches.find(account, id);
    if (!batch) throw new BatchNotOnAccount();
    const outcomes = await this.views.tally(batch);
    // A batch is removed with its last message.
    if (outcomes.length === 0) throw new BatchNotOnAccount();
    return { batch, outcomes, sims: simsOf(outcomes), heldBack: heldBackOf(outcomes) };
  }
}

function simsOf(outcomes: readonly MessageTally[]): SimShare[] {
  const shares = new Map<string, { sim: Types.ObjectId; messages: number }>();
  for (const { sim, count } of outcomes) {
    if (!sim) continue;
    const messages = (shares.get(sim.toHexString())?.messages ?? 0) + count;
    shares.set(sim.toHexString(), { sim, messages });
  }
  return [...shares.values()].sort((one, other) => other.messages - one.messages);
}

function heldBackOf(outcomes: readonly MessageTally[]): HeldBack[] {
  const reasons = new Map<WaitReason, HeldBack>();
  for (const { reason, count, until } of outcomes) {
    if (!reason) continue;
    const known = reasons.get(reason);
    const last = [known?.until, until].reduce((one, other) =>
      one && other ? (one > other ? one : other) : (one ?? other),
    );
    reasons.set(reason, { reason, count: (known?.count ?? 0) + count, ...(last && { until: last }) });
  }
  return [...reasons.values()].sort((one, other) => other.count - one.count);
}
