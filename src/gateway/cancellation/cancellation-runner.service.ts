import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { sumOf } from '../../billing/usage/day-charge';
import { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import { BatchNotFound } from '../../messages/messages.errors';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { isInGroup } from '../dispatch/wave-plan';
import { laneOfGroup } from '../senders/lane';
import { LaneTimelines } from '../senders/lane-timelines.service';
import { chargesOfWaves } from '../sends/batch-charges';
import { CancellationRepository, type CancelledWave, type CancelTarget } from './cancellation.repository';

/**
 * Cancels messages so that an interrupted cancellation can be completed: it is first stored on its batch, then the
 * messages are cancelled under its id, then their charges are refunded. `SendRecoveryScheduler` completes it.
 */
@Injectable()
export class CancellationRunner {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: CancellationRepository,
    private readonly timelines: LaneTimelines,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
  ) {}

  /**
   * @param device the phone that the caller named; it must carry a message of the batch.
   * @param write cancels the messages under the id of the cancellation.
   * @returns the batch, and how many were cancelled.
   * @throws BatchNotFound
   */
  async run(
    account: AccountScope,
    device: Types.ObjectId | undefined,
    target: CancelTarget,
    now: Date,
    write: (cancellation: Types.ObjectId) => Promise<number>,
  ): Promise<{ readonly batch: Batch; readonly count: number }> {
    const cancellation = new Types.ObjectId();
    const batch = await this.batches.startCancel(account, device, target.batch, cancellation, now);
    if (!batch) throw new BatchNotFound();
    const count = await write(cancellation);
    this.metrics.count('failed', count);
    this.outbox.notify();
    await this.refund(batch, target, cancellation);
    return { batch, count };
  }

  /** Completes the interrupted cancellations of a batch. */
  async complete(batch: Batch): Promise<void> {
    // Earlier versions used the id of the batch as the id of its cancellation.
    for (const cancellation of batch.cancellations ?? [batch._id])
      await this.refund(batch, { batch: batch._id }, cancellation);
  }

  /** Idempotent, because the messages of a cancellation do not change after its write. */
  private async refund(batch: Batch, target: CancelTarget, cancellation: Types.ObjectId): Promise<void> {
    const waves = await this.messages.summarize(target, cancellation);
    const byWave = waves.flatMap(({ wave, cancelled }) =>
      cancelled > 0 ? [[wave, cancelled] as const] : [],
    );
    const charges = chargesOfWaves(batch, new Map(byWave));
    const count = sumOf(charges);
    if (count > 0) {
      await this.billing.refund(accountScope(batch.user), { cancellation, charges });
      // After the cancellation of single messages, the other messages of their waves are not known.
      if (!target.messages) await this.releaseTimelines(batch, waves);
    }
    await this.batches.finishCancel(batch, cancellation, { count, charges });
  }

  /**
   * Releases the time that was reserved for the waves at the end of each group of which all messages are cancelled, unless
   * a later batch follows on the timeline.
   */
  private async releaseTimelines(batch: Batch, waves: readonly CancelledWave[]): Promise<void> {
    for (const group of batch.groups) {
      const { startAt, durationMs } = group;
      if (!startAt || durationMs === undefined) continue;
      const ofGroup = waves.filter(({ wave }) => isInGroup(group, wave));
      const lastKept = Math.max(-1, ...ofGroup.flatMap(({ wave, kept }) => (kept > 0 ? wave : [])));
      const tail = ofGroup.filter(({ wave }) => wave > lastKept);
      const freeFrom = Math.min(...tail.flatMap(({ dueAt }) => dueAt?.getTime() ?? []));
      const releasedMs = startAt.getTime() + durationMs - freeFrom;
      if (releasedMs > 0)
        await this.timelines.release(
          accountScope(batch.user),
          laneOfGroup(batch, group),
          new Date(freeFrom),
          releasedMs,
        );
    }
  }
}
