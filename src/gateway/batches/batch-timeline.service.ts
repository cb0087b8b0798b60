import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DispatchConfig } from '../../config/sections/dispatch.config';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import { DispatchQueue } from '../waves/dispatch.queue';
import type { WaveToEnqueue } from '../waves/wave-key';
import { type Lane, laneOfGroup } from '../senders/lane';
import { LaneTimelines } from '../senders/lane-timelines.service';
import { BatchChangesRepository, type ChangingBatch } from './batch-changes.repository';
import { gapOf, type PastDue, PausedMessagesRepository } from '../routing/paused-messages.repository';

/** A group of several waves that has a slot. */
type GroupWithSlot = DispatchGroup & Required<Pick<DispatchGroup, 'startAt' | 'durationMs'>>;

/** Frees the time of batches on the timelines of their lanes when they pause, and reserves it again when they resume. */
@Injectable()
export class BatchTimeline {
  constructor(
    private readonly config: DispatchConfig,
    private readonly timelines: LaneTimelines,
    private readonly changes: BatchChangesRepository,
    private readonly messages: PausedMessagesRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /** Frees the time reserved for the paused messages, unless a later send follows on the timeline. Idempotent. */
  async free(batch: Batch): Promise<void> {
    const now = this.clock.now().getTime();
    const lastFirst = batch.groups.filter(hasSlot).sort((one, other) => endOf(other) - endOf(one));
    for (const group of lastFirst) {
      const first = await this.messages.findFirst(batch, group);
      if (!first) continue;
      const freeFrom = Math.max(now, group.startAt.getTime() + offsetIn(group, first));
      const freedMs = endOf(group) - freeFrom;
      if (freedMs > 0) await this.timelines.release(batch, group, new Date(freeFrom), freedMs);
    }
  }

  /**
   * Gives the paused messages new times: those of groups of several waves in a new slot, what has become due meanwhile at the
   * pace of its phone, and the rest at its old times. If it is repeated, time that was reserved stays unused.
   * @returns when the waves end; undefined if no message waits in waves.
   */
  async replan(batch: ChangingBatch): Promise<Date | undefined> {
    const now = this.clock.now();
    const first: WaveToEnqueue[] = [];
    let endsAt = 0;
    for (const [index, group] of batch.groups.entries()) {
      if (group.waves === 1) continue;
      if (hasSlot(group)) {
        const startAt = await this.moveSlot(batch, index, group, now);
        if (startAt) endsAt = Math.max(endsAt, startAt.getTime() + group.durationMs);
      } else if (group.scheduledAt && group.scheduledAt <= now) {
        // Due, and planned when its first wave is dispatched.
        await this.messages.resumeInSlot(batch, group, group.scheduledAt, now);
        first.push({ user: batch.user, batch: batch._id, wave: group.firstWave });
      }
    }
    for (const pastDue of await this.messages.listPastDue(batch, now)) {
      await this.resumePastDue(batch, pastDue, now);
      first.push({ user: batch.user, batch: batch._id, wave: pastDue.firstWave });
    }
    await this.messages.resumeRest(batch, now);
    await this.queue.enqueue(first);
    return endsAt > 0 ? new Date(endsAt) : undefined;
  }

  /** @returns the new start of the group, as if it had no wave sent yet; undefined if no message is paused. */
  private async moveSlot(
    batch: ChangingBatch,
    index: number,
    group: GroupWithSlot,
    now: Date,
  ): Promise<Date | undefined> {
    const first = await this.messages.findFirst(batch, group);
    if (!first) return undefined;
    const doneMs = offsetIn(group, first);
    const restAt = await this.reserve(batch, laneOfGroup(batch, group), group.durationMs - doneMs, now);
    const startAt = new Date(restAt.getTime() - doneMs);
    await this.changes.moveGroup(batch, index, startAt);
    await this.messages.resumeInSlot(batch, group, startAt, now);
    await this.queue.enqueue([
      { user: batch.user, batch: batch._id, wave: first.wave ?? group.firstWave, dueAt: restAt },
    ]);
    return startAt;
  }

  /** As in sends, what fits into one wave leaves at once. */
  private async resumePastDue(batch: Batch, pastDue: PastDue, now: Date): Promise<void> {
    const { device: id, count, firstWave, lastWave } = pastDue;
    if (count <= this.config.waveSize) return this.messages.resumeEvenly(batch, pastDue, now, 0, now);
    const messageMs = await this.timelines.messageMsOf(accountScope(batch.user), id);
    const gapMs = Math.ceil((count * messageMs) / (lastWave - firstWave + 1));
    const startAt = await this.reserve(batch, { device: id }, gapMs * (lastWave - firstWave + 1), now);
    await this.messages.resumeEvenly(batch, pastDue, startAt, gapMs, now);
  }

  private reserve(batch: Batch, lane: Lane, durationMs: number, now: Date): Promise<Date> {
    return this.timelines.reserve(accountScope(batch.user), lane, durationMs, now);
  }
}

const hasSlot = (group: DispatchGroup): group is GroupWithSlot =>
  group.waves > 1 && group.startAt !== undefined && group.durationMs !== undefined;

const endOf = ({ startAt, durationMs }: GroupWithSlot): number => startAt.getTime() + durationMs;

function offsetIn(
  group: DispatchGroup,
  { wave = group.firstWave, waveOffsetMs }: { readonly wave?: number; readonly waveOffsetMs?: number },
): number {
  return waveOffsetMs ?? (wave - group.firstWave) * gapOf(group);
}
