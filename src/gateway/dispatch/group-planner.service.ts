import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { Batch, type DispatchGroup } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { laneOfGroup } from '../senders/lane';
import { LaneTimelines } from '../senders/lane-timelines.service';
import type { WaveKey } from '../waves/wave-key';
import { DispatchQueue } from '../waves/dispatch.queue';
import { isInGroup } from '../waves/wave-plan';
import { WavesRepository } from '../waves/waves.repository';

/** After this time without a stored start, the worker that plans the group is considered dead. */
const PLANNING_TIMEOUT_MS = 30_000;

/**
 * Plans scheduled groups of several waves when they become due: reserves a slot on the timeline of their lane unless they are
 * urgent, stores when they start, and stores the wave times on the messages. Also enqueues one wave of a group after the other.
 */
@Injectable()
export class GroupPlanner {
  constructor(
    private readonly timelines: LaneTimelines,
    private readonly batches: BatchesRepository,
    private readonly waves: WavesRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans the group of this wave, if it is due and not planned yet, and enqueues its first wave. One worker reserves the
   * slot; the other steps may be repeated. If that worker dies, another one plans the group, and a slot that was reserved
   * and not stored stays unused.
   */
  async plan(batch: Batch, wave: number): Promise<void> {
    const index = batch.groups.findIndex((each) => isInGroup(each, wave));
    const group = batch.groups[index];
    if (!group || group.planned) return;
    const now = this.clock.now();
    if (group.scheduledAt && group.scheduledAt > now) return;
    const expiredAt = new Date(now.getTime() - PLANNING_TIMEOUT_MS);
    if (!group.startAt && !(await this.batches.claimPlanning(batch, index, now, expiredAt))) return;
    const withStart = group.startAt ? batch : await this.determineStart(batch, index, group, now);
    const { startAt, gapMs } = withStart?.groups[index] ?? {};
    if (!startAt) return; // rescheduled meanwhile
    await this.waves.storeWaveTimes(batch, { ...group, startAt, gapMs });
    await this.batches.markPlanned(batch, index, startAt);
    const { _id, user } = batch;
    await this.queue.enqueue([{ user, batch: _id, wave: group.firstWave, dueAt: startAt }]);
  }

  /** Enqueues the next wave of a group. If this process dies before, `DispatchScheduler` enqueues it when it is overdue. */
  async enqueueNext(batch: Batch, key: WaveKey): Promise<void> {
    const group = batch.groups.find((each) => isInGroup(each, key.wave));
    if (!group || group.waves === 1) return;
    const next = await this.waves.findNextWave(key, group);
    if (next) await this.queue.enqueue([next]);
  }

  private async determineStart(
    batch: Batch,
    index: number,
    group: DispatchGroup,
    now: Date,
  ): Promise<Batch | null> {
    // An urgent group reserves no time, and starts before the campaigns that do.
    if (batch.priority === 'urgent') return this.batches.storeStart(batch, index, group.scheduledAt, now);
    const account = accountScope(batch.user);
    const { durationMs = 0 } = group;
    const startAt = await this.timelines.reserve(account, laneOfGroup(batch, group), durationMs, now);
    return this.batches.storeStart(batch, index, group.scheduledAt, startAt);
  }
}
