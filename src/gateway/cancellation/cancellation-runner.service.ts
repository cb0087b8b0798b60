import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { mergeCharges } from '../../billing/usage/day-charge';
import { groupBy } from '../../common/group-by';
import { sum } from '../../common/sum';
import { Batch } from '../../messages/batch.schema';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import { BatchChanging, BatchNotFound } from '../../messages/messages.errors';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { isInGroup } from '../waves/wave-plan';
import { LaneTimelines } from '../senders/lane-timelines.service';
import { chargesOfWaves } from '../sends/acceptance/batch-charges';
import { BatchCancellationsRepository } from './batch-cancellations.repository';
import {
  CancellationRepository,
  type CancelTarget,
  type ExpiredMessage,
  type SuppressedMessage,
  type WithdrawnWave,
} from './cancellation.repository';
import { idsOf } from '../../common/documents';

/**
 * Cancels, expires and suppresses messages so that an interrupted cancellation can be completed: it is first stored on its batches, then
 * the messages are withdrawn under its id, then their charges are refunded. `BatchRecoveryScheduler` completes it.
 */
@Injectable()
export class CancellationRunner {
  constructor(
    private readonly cancellations: BatchCancellationsRepository,
    private readonly messages: CancellationRepository,
    private readonly timelines: LaneTimelines,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
  ) {}

  /**
   * @param device the phone that the caller named; it must carry a message of the batch.
   * @param write cancels the messages under the id of the cancellation.
   * @returns the batch, and how many were cancelled.
   * @throws BatchNotFound; BatchChanging while it is being rescheduled
   */
  async run(
    account: AccountScope,
    device: Types.ObjectId | undefined,
    target: CancelTarget,
    now: Date,
    write: (cancellation: Types.ObjectId) => Promise<number>,
  ): Promise<{ readonly batch: Batch; readonly count: number }> {
    const cancellation = new Types.ObjectId();
    const batch = await this.cancellations.start(account, device, target.batch, cancellation, now);
    if (!batch)
      throw (await this.cancellations.isRescheduling(account, target.batch))
        ? new BatchChanging()
        : new BatchNotFound();
    const count = await write(cancellation);
    this.changes.record('failed', count, account, target.messages);
    this.outbox.notify();
    await this.refund([batch], target.messages, cancellation);
    return { batch, count };
  }

  /**
   * Expires messages of an account, of any of its batches, under one id: an account remembers only its last refunds.
   * @returns how many were expired; others were claimed meanwhile, or their batch is not accepted.
   */
  expire(account: AccountScope, messages: readonly ExpiredMessage[], now: Date): Promise<number> {
    return this.failUnsent(account, messages, now, {
      write: (expired, cancellation) => this.messages.expire(account, expired, cancellation, now),
      // The time that was reserved for waves of which nothing is left is released.
      summarizesBatches: true,
    });
  }

  /**
   * Fails messages of an account, of any of its batches, whose recipients are blocked, and refunds them.
   * @returns how many; others were claimed meanwhile, or their batch is not accepted, or is being rescheduled.
   */
  suppress(account: AccountScope, messages: readonly SuppressedMessage[], now: Date): Promise<number> {
    return this.failUnsent(account, messages, now, {
      write: (suppressed, cancellation) => this.messages.suppress(account, suppressed, cancellation, now),
      summarizesBatches: false,
    });
  }

  private async failUnsent<Unsent extends SuppressedMessage>(
    account: AccountScope,
    messages: readonly Unsent[],
    now: Date,
    options: {
      readonly write: (unsent: readonly Unsent[], cancellation: Types.ObjectId) => Promise<number>;
      readonly summarizesBatches: boolean;
    },
  ): Promise<number> {
    const cancellation = new Types.ObjectId();
    const byBatch = groupBy(messages, ({ smsBatch }) => smsBatch.toHexString());
    const batchIds = [...byBatch.keys()].map((id) => new Types.ObjectId(id));
    const batches = await this.cancellations.startMany(account, batchIds, cancellation, now);
    const unsent = batches.flatMap(({ _id }) => byBatch.get(_id.toHexString()) ?? []);
    if (unsent.length === 0) return 0;
    const count = await options.write(unsent, cancellation);
    this.changes.record('failed', count, account, idsOf(unsent));
    this.outbox.notify();
    await this.refund(batches, options.summarizesBatches ? undefined : idsOf(unsent), cancellation);
    return count;
  }

  /** Lists batches with a cancellation that is in progress since `since` or longer: its process has died. */
  listInterrupted(since: Date, limit: number): Promise<Batch[]> {
    return this.cancellations.listUnfinished(since, limit);
  }

  /** Completes the interrupted cancellations of a batch. */
  async complete(batch: Batch): Promise<void> {
    const { _id: id, cancellations = [] } = batch;
    const account = accountScope(batch.user);
    for (const cancellation of cancellations) {
      // All of them, because none is finished before all are refunded together.
      const batches = await this.cancellations.listOf(account, cancellation);
      await this.refund(batches, undefined, cancellation);
    }
    if (cancellations.length === 0) await this.cancellations.finishMany(account, [id], id);
  }

  /**
   * Idempotent, because the messages of a cancellation do not change after its write.
   * @param batches of one account.
   * @param messages absent: all of the batches.
   */
  private async refund(
    batches: readonly Batch[],
    messages: readonly Types.ObjectId[] | undefined,
    cancellation: Types.ObjectId,
  ): Promise<void> {
    const [first] = batches;
    if (!first) return;
    const account = accountScope(first.user);
    const summaries = await this.messages.summarize(account, idsOf(batches), messages, cancellation);
    const results = batches.map((batch) => {
      const waves = summaries.get(batch._id.toHexString()) ?? [];
      const byWave = waves.flatMap(({ wave, withdrawn }) =>
        withdrawn > 0 ? [[wave, withdrawn] as const] : [],
      );
      const cancelledCount = sum(waves, ({ cancelled }) => cancelled);
      const suppressedCount = sum(waves, ({ suppressed }) => suppressed);
      const charges = chargesOfWaves(batch, new Map(byWave));
      return { batch, waves, cancelledCount, suppressedCount, charges };
    });
    const charges = mergeCharges(results.flatMap((result) => result.charges));
    if (charges.length > 0) {
      await this.billing.refund(account, { cancellation, charges });
      // Of single messages, the other messages of their waves are not known.
      for (const { batch, waves, charges: ofBatch } of messages ? [] : results)
        if (ofBatch.length > 0) await this.releaseTimelines(batch, waves);
    }
    const isCounted = ({ batch, cancelledCount, suppressedCount }: (typeof results)[number]) =>
      cancelledCount + suppressedCount > 0 ||
      batch.chargedDays !== undefined ||
      batch.cancellations === undefined;
    for (const { batch, cancelledCount, suppressedCount, charges: ofBatch } of results.filter(isCounted))
      await this.cancellations.finish(batch, cancellation, {
        cancelledCount,
        suppressedCount,
        charges: ofBatch,
      });
    const others = results.filter((result) => !isCounted(result)).map(({ batch }) => batch._id);
    if (others.length > 0) await this.cancellations.finishMany(account, others, cancellation);
  }

  /**
   * Releases the time that was reserved for the waves at the end of each group of which all messages are cancelled, unless
   * a later batch follows on the timeline.
   */
  private async releaseTimelines(batch: Batch, waves: readonly WithdrawnWave[]): Promise<void> {
    for (const group of batch.groups) {
      const { startAt, durationMs } = group;
      if (!startAt || durationMs === undefined) continue;
      const ofGroup = waves.filter(({ wave }) => isInGroup(group, wave));
      const lastKept = Math.max(-1, ...ofGroup.flatMap(({ wave, kept }) => (kept > 0 ? wave : [])));
      const tail = ofGroup.filter(({ wave }) => wave > lastKept);
      const freeFrom = Math.min(...tail.flatMap(({ dueAt }) => dueAt?.getTime() ?? []));
      const releasedMs = startAt.getTime() + durationMs - freeFrom;
      if (releasedMs > 0) await this.timelines.release(batch, group, new Date(freeFrom), releasedMs);
    }
  }
}
