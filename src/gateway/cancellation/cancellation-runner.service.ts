import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { sumOf } from '../../billing/usage/day-charge';
import { DevicesRepository } from '../../devices/devices.repository';
import { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import { BatchNotFound } from '../../messages/messages.errors';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { isInGroup } from '../dispatch/wave-plan';
import { chargesOfWaves } from '../sends/batch-charges';
import { CancellationRepository, CancelTarget } from './cancellation.repository';

/**
 * Cancels messages so that an interrupted cancellation can be completed: it is first stored on its batch, then the
 * messages are cancelled under its id, then their charges are refunded. `SendRecoveryScheduler` completes it.
 */
@Injectable()
export class CancellationRunner {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: CancellationRepository,
    private readonly devices: DevicesRepository,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
  ) {}

  /**
   * @param write cancels the messages under the id of the cancellation.
   * @returns how many were cancelled.
   * @throws BatchNotFound
   */
  async run(
    account: AccountScope,
    device: Types.ObjectId,
    target: CancelTarget,
    now: Date,
    write: (cancellation: Types.ObjectId) => Promise<number>,
  ): Promise<number> {
    const cancellation = new Types.ObjectId();
    const batch = await this.batches.startCancel(account, device, target.batch, cancellation, now);
    if (!batch) throw new BatchNotFound();
    const count = await write(cancellation);
    this.metrics.count('failed', count);
    this.outbox.notify();
    await this.refund(batch, target, cancellation);
    return count;
  }

  /** Completes the interrupted cancellations of a batch. */
  async complete(batch: Batch): Promise<void> {
    // Earlier versions used the id of the batch as the id of its cancellation.
    for (const cancellation of batch.cancellations ?? [batch._id])
      await this.refund(batch, { batch: batch._id }, cancellation);
  }

  /** Idempotent, because the messages of a cancellation do not change after its write. */
  private async refund(batch: Batch, target: CancelTarget, cancellation: Types.ObjectId): Promise<void> {
    const { byWave, cancelledTail } = await this.messages.summarize(target, cancellation);
    const charges = chargesOfWaves(batch, byWave);
    const count = sumOf(charges);
    if (count > 0) {
      await this.billing.refund(accountScope(batch.user), { cancellation, charges });
      await this.releaseTimeline(batch, cancelledTail);
    }
    await this.batches.finishCancel(batch, cancellation, { count, charges });
  }

  /** Releases the phone's time that was reserved for the cancelled waves, unless a later batch follows on the timeline. */
  private async releaseTimeline(batch: Batch, cancelledTail: ReadonlyMap<number, Date>): Promise<void> {
    for (const group of batch.groups) {
      const { startAt, durationMs } = group;
      if (!startAt || durationMs === undefined) continue;
      const dueTimes = [...cancelledTail].flatMap(([wave, dueAt]) =>
        isInGroup(group, wave) ? [dueAt.getTime()] : [],
      );
      const freeFrom = Math.min(...dueTimes);
      const releasedMs = startAt.getTime() + durationMs - freeFrom;
      if (releasedMs > 0)
        await this.devices.releaseTimeline(
          accountScope(batch.user),
          batch.device,
          new Date(freeFrom),
          releasedMs,
        );
    }
  }
}
