import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { sumOf } from '../../billing/usage/day-charge';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import { Device } from '../../devices/device.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { DeviceNotFound } from '../../devices/devices.errors';
import { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { CancellationRepository, CancelTarget } from './cancellation.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import { BatchNotFound, MessageNotFound } from '../../messages/messages.errors';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { PushService } from '../../push/push.service';
import { chargesOfWaves } from '../sends/batch-charges';
import { pushTargetOf } from '../sends/sending-device.service';
import { waveDueAt } from '../dispatch/wave-plan';

export interface CancellationResult {
  readonly cancelledCount: number;
  /** Messages whose cancellation the phone has not confirmed yet. */
  readonly requestedCount: number;
}

/** Message ids in one cancel command; redelivery requests the rest. */
const MAX_CANCEL_REQUESTS = 1_000;

/**
 * Cancels messages: immediately those that were not pushed, and pushed ones after the phone confirms that it will not send
 * them. A cancellation is first stored on its batch, then the messages are cancelled under its id, then their charges are
 * refunded. `SendRecoveryScheduler` completes a cancellation that was interrupted.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: CancellationRepository,
    private readonly billing: BillingService,
    private readonly push: PushService,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Cancels the messages of a batch that are not sent yet. Idempotent.
   * @throws DeviceNotFound, BatchNotFound
   */
  async cancelBatch(
    account: AccountScope,
    deviceId: Types.ObjectId,
    id: Types.ObjectId,
  ): Promise<CancellationResult> {
    const device = await this.devices.find(account, deviceId);
    if (!device) throw new DeviceNotFound();
    return this.cancel(account, device, { batch: id });
  }

  /**
   * Cancels a message if it is not sent yet. Idempotent.
   * @throws MessageNotFound
   */
  async cancelMessage(account: AccountScope, id: Types.ObjectId): Promise<CancellationResult> {
    const message = await this.messages.findOutgoing(account, id);
    const device = message && (await this.devices.find(account, message.device));
    if (!message?.smsBatch || !device) throw new MessageNotFound();
    return this.cancel(account, device, { batch: message.smsBatch, messages: [id] });
  }

  /**
   * Cancels messages that the phone confirms it will not send; ignores those it was not asked to cancel.
   * @returns how many were cancelled.
   * @throws DeviceNotFound
   */
  async confirm(
    account: AccountScope,
    deviceId: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<number> {
    if (!(await this.devices.find(account, deviceId))) throw new DeviceNotFound();
    const found = await this.messages.listConfirmable(account, deviceId, ids);
    let count = 0;
    for (const [batch, messages] of groupBy(found, ({ smsBatch }) => String(smsBatch))) {
      const target = { batch: new Types.ObjectId(batch), messages: messages.map(({ _id }) => _id) };
      count += await this.run(account, deviceId, target, (cancellation, now) =>
        this.messages.cancelConfirmed(target, cancellation, now),
      );
    }
    return count;
  }

  async complete(batch: Batch): Promise<void> {
    // Earlier versions used the id of the batch as the id of its cancellation.
    for (const cancellation of batch.cancellations ?? [batch._id])
      await this.refund(batch, { batch: batch._id }, cancellation);
  }

  private async cancel(
    account: AccountScope,
    device: Device,
    target: CancelTarget,
  ): Promise<CancellationResult> {
    await this.run(account, device._id, target, (cancellation, now) =>
      this.messages.cancelUnclaimed(target, cancellation, now),
    );
    const requestedCount = await this.requestFromPhone(device, target);
    return { cancelledCount: await this.messages.countCancelled(target), requestedCount };
  }

  private async run(
    account: AccountScope,
    device: Types.ObjectId,
    target: CancelTarget,
    write: (cancellation: Types.ObjectId, now: Date) => Promise<number>,
  ): Promise<number> {
    const [cancellation, now] = [new Types.ObjectId(), this.clock.now()];
    const batch = await this.batches.startCancel(account, device, target.batch, cancellation, now);
    if (!batch) throw new BatchNotFound();
    const count = await write(cancellation, now);
    this.metrics.count('failed', count);
    this.outbox.notify();
    await this.refund(batch, target, cancellation);
    return count;
  }

  /** Idempotent, because the messages of a cancellation do not change after its write. */
  private async refund(batch: Batch, target: CancelTarget, cancellation: Types.ObjectId): Promise<void> {
    const { byWave, firstCancelledWave } = await this.messages.summarize(target, cancellation);
    const charges = chargesOfWaves(batch, byWave);
    const count = sumOf(charges);
    if (count > 0) {
      await this.billing.refund(accountScope(batch.user), { cancellation, charges });
      if (firstCancelledWave !== undefined) await this.releaseTimeline(batch, firstCancelledWave);
    }
    await this.batches.finishCancel(batch, cancellation, { count, charges });
  }

  private async requestFromPhone(device: Device, target: CancelTarget): Promise<number> {
    if (device.pushTransport !== 'stream' || !device.supportsCancel) return 0;
    await this.messages.markCancelRequested(target, this.clock.now());
    const requested = await this.messages.listCancelRequested(target, MAX_CANCEL_REQUESTS);
    if (requested.length > 0) {
      const smsIds = requested.map((id) => id.toHexString());
      await this.push.push(pushTargetOf(device), [{ kind: 'cancel', smsIds }]);
    }
    return requested.length;
  }

  /** Releases the phone's time that was reserved for the cancelled waves, unless a later batch follows on the timeline. */
  private async releaseTimeline(batch: Batch, firstCancelledWave: number): Promise<void> {
    for (const { startAt, gapMs, durationMs, firstWave, waves } of batch.groups) {
      const wave = Math.max(0, firstCancelledWave - firstWave);
      if (!startAt || gapMs === undefined || durationMs === undefined || wave >= waves) continue;
      const freeFrom = waveDueAt(startAt, gapMs, wave);
      const end = startAt.getTime() + durationMs;
      await this.devices.releaseTimeline(
        accountScope(batch.user),
        batch.device,
        freeFrom,
        end - freeFrom.getTime(),
      );
    }
  }
}
