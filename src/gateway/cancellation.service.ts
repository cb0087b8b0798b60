import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { BillingService } from '../billing/billing.service';
import { sumOf } from '../billing/day-charge';
import { Clock } from '../common/clock';
import { groupBy } from '../common/group-by';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { DeviceNotFound } from '../devices/devices.errors';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { CancellationRepository, CancelTarget } from '../messages/cancellation.repository';
import { MessageMetrics } from '../messages/message.metrics';
import { BatchNotFound, MessageNotFound } from '../messages/messages.errors';
import { OutboxQueue } from '../messages/outbox.queue';
import { PushService } from '../push/push.service';
import { chargesOfWaves } from './batch-charges';
import { pushTargetOf } from './sending-device.service';
import { waveDueAt } from './wave-plan';

/** What a cancel has come to so far. */
export interface Cancelled {
  /** Messages that are cancelled. */
  readonly cancelledCount: number;
  /** Messages the phone was asked not to send, and has not answered for. */
  readonly requestedCount: number;
}

/** The most messages a phone is asked about at once; it is asked about others when they are offered to it. */
const MAX_REQUESTS = 1_000;

/**
 * Cancels messages: what no push service has at once, and what a phone was handed once the phone confirms that it has
 * not sent it and will not. A cancellation is noted on its batch first, then the messages are cancelled under its id,
 * then exactly those are given back to the plan: whoever dies in between leaves the rest to the sweeper.
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
   * Cancels what of a batch has not left yet. Safe to repeat.
   * @throws DeviceNotFound, BatchNotFound
   */
  async cancelBatch(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<Cancelled> {
    const device = await this.devices.find(account, deviceId);
    if (!device) throw new DeviceNotFound();
    return this.cancel(account, device, { batch: id });
  }

  /**
   * Cancels one message, if it has not left yet. Safe to repeat.
   * @throws MessageNotFound
   */
  async cancelMessage(account: AccountScope, id: Types.ObjectId): Promise<Cancelled> {
    const message = await this.messages.find(account, id);
    const device = message && (await this.devices.find(account, message.device));
    if (!message?.smsBatch || !device) throw new MessageNotFound();
    return this.cancel(account, device, { batch: message.smsBatch, messages: [id] });
  }

  /**
   * Takes a phone's word that it has not sent these messages and will not. Only those it was asked about are cancelled.
   * @returns how many.
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

  /** Completes the cancellations of a batch whose processes have died. */
  async complete(batch: Batch): Promise<void> {
    // One of an older version of the service goes by the id of its batch.
    for (const cancellation of batch.cancellations ?? [batch._id])
      await this.giveBack(batch, { batch: batch._id }, cancellation);
  }

  private async cancel(account: AccountScope, device: Device, target: CancelTarget): Promise<Cancelled> {
    await this.run(account, device._id, target, (cancellation, now) =>
      this.messages.cancelUnclaimed(target, cancellation, now),
    );
    const requestedCount = await this.requestFromPhone(device, target);
    return { cancelledCount: await this.messages.count(target), requestedCount };
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
    this.outbox.wake();
    await this.giveBack(batch, target, cancellation);
    return count;
  }

  /** Each step can be repeated: what a cancellation has cancelled does not change once its write has ended. */
  private async giveBack(batch: Batch, target: CancelTarget, cancellation: Types.ObjectId): Promise<void> {
    const { byWave, freeFromWave } = await this.messages.read(target, cancellation);
    const charges = chargesOfWaves(batch, byWave);
    const count = sumOf(charges);
    if (count > 0) {
      await this.billing.giveBack(batch, { cancellation, charges });
      if (freeFromWave !== undefined) await this.returnTimeline(batch, freeFromWave);
    }
    await this.batches.finishCancel(batch, cancellation, { count, charges });
  }

  /**
   * Asks the phone not to send what it was handed and has not acknowledged; only its answer cancels that.
   * @returns how many messages it is asked about.
   */
  private async requestFromPhone(device: Device, target: CancelTarget): Promise<number> {
    if (device.pushTransport !== 'stream' || !device.supportsCancel) return 0;
    await this.messages.requestFromPhone(target, this.clock.now());
    const requested = await this.messages.listRequested(target, MAX_REQUESTS);
    if (requested.length > 0) {
      const smsIds = requested.map((id) => id.toHexString());
      await this.push.push(pushTargetOf(device), [{ kind: 'cancel', smsIds }]);
    }
    return requested.length;
  }

  /** Gives back the phone's time from the first wave on that is cancelled whole, if nothing was put behind the batch. */
  private async returnTimeline(batch: Batch, freeFromWave: number): Promise<void> {
    for (const { startAt, gapMs, durationMs, firstWave, waves } of batch.groups) {
      const wave = Math.max(0, freeFromWave - firstWave);
      if (!startAt || gapMs === undefined || durationMs === undefined || wave >= waves) continue;
      const freeFrom = waveDueAt(startAt, gapMs, wave);
      const end = startAt.getTime() + durationMs;
      await this.devices.returnTimeline(batch, batch.device, freeFrom, end - freeFrom.getTime());
    }
  }
}
