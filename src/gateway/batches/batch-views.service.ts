import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupsOf } from '../../common/group-by';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import type { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { BatchNotOnAccount } from '../../messages/lists/message-list.errors';
import { pageOf, type Position } from '../../messages/lists/message-cursor';
import { countStates, forecastBatch, isLeaving, type StateCounts } from './batch-forecast';
import {
  type BatchFilter,
  BatchViewsRepository,
  type ListedBatch,
  type MessageTally,
} from './batch-views.repository';
import { type HeldBack, heldBackOf, type Hold } from '../routing/held-back';
import { distinctIds } from '../../common/documents';
import { sum } from '../../common/sum';

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

/** Messages of a SIM in one phone. */
export interface SimCount {
  readonly sim: Types.ObjectId;
  readonly device: Types.ObjectId;
  readonly messages: number;
  readonly states: StateCounts;
}

/** A batch with what its messages came to. */
export interface BatchSummary {
  readonly batch: Batch;
  readonly outcomes: readonly MessageTally[];
  readonly states: StateCounts;
  /** When the last message that waits is sent, by what is known now; absent if none waits, or none has a time. */
  readonly expectedCompletionAt?: Date;
  /** The largest first. */
  readonly sims: readonly SimCount[];
  readonly heldBack: readonly HeldBack[];
}

/** Reads batches across all devices of an account, without their messages. */
@Injectable()
export class BatchViews {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly views: BatchViewsRepository,
    private readonly devices: DevicesRepository,
    private readonly sims: SimsRepository,
    private readonly clock: Clock,
  ) {}

  /** Lists batches, newest first; without progress, because it is derived from their messages. @throws SearchTooSlow */
  async list(account: AccountScope, { filter, limit, after }: BatchQuery): Promise<BatchPage> {
    const found = await this.views.list(account, filter, after, limit + 1, this.clock.now());
    const { items: batches, nextCursor, hasMore } = pageOf(found, limit, ({ createdAt }) => createdAt);
    return { batches, limit, nextCursor, hasMore };
  }

  /** @throws BatchNotOnAccount */
  async get(account: AccountScope, id: Types.ObjectId): Promise<BatchSummary> {
    const batch = await this.batches.findVisible(account, id);
    if (!batch) throw new BatchNotOnAccount();
    const outcomes = await this.views.tally(batch);
    // A batch is removed with its last message.
    if (outcomes.length === 0) throw new BatchNotOnAccount();
    const expectedCompletionAt = await this.forecast(account, batch, outcomes);
    return {
      batch,
      outcomes,
      states: countStates(outcomes),
      ...(expectedCompletionAt && { expectedCompletionAt }),
      sims: simsOf(outcomes),
      heldBack: heldBackOf(holdsOf(outcomes)).sort((one, other) => other.count - one.count),
    };
  }

  private async forecast(
    account: AccountScope,
    batch: Batch,
    outcomes: readonly MessageTally[],
  ): Promise<Date | undefined> {
    const waiting = outcomes.filter(isLeaving);
    if (waiting.length === 0) return undefined;
    const [devices, sims] = await Promise.all([
      this.devices.findMany(account, distinctIds(waiting.map(({ device }) => device))),
      this.sims.findMany(account, distinctIds(waiting.flatMap(({ sim }) => sim ?? []))),
    ]);
    return forecastBatch(batch, waiting, { devices, sims }, this.clock.now());
  }
}

function simsOf(outcomes: readonly MessageTally[]): SimCount[] {
  const bySim = groupsOf(
    outcomes.flatMap((tally) => (tally.sim ? [{ ...tally, sim: tally.sim }] : [])),
    ({ sim, device }) => `${sim.toHexString()} ${device.toHexString()}`,
  );
  const counts = bySim.map((tallies): SimCount => {
    const [{ sim, device }] = tallies;
    return { sim, device, messages: sum(tallies, ({ count }) => count), states: countStates(tallies) };
  });
  return counts.sort((one, other) => other.messages - one.messages);
}

const holdsOf = (outcomes: readonly MessageTally[]): Hold[] =>
  outcomes.flatMap(({ reason, until, count }) =>
    reason ? [{ reason, until: until?.getTime() ?? Infinity, count }] : [],
  );
