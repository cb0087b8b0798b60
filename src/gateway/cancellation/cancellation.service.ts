import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import { Device } from '../../devices/device.schema';
import type { Batch } from '../../messages/batch.schema';
import { DevicesRepository } from '../../devices/devices.repository';
import { DeviceNotFound } from '../../devices/devices.errors';
import { CancellationRepository, CancelTarget } from './cancellation.repository';
import { CancellationRunner } from './cancellation-runner.service';
import { MessageNotFound } from '../../messages/messages.errors';
import type { PushCommand } from '../../push/push-transport';
import { PushService } from '../../push/push.service';
import { pushTargetOf } from '../sends/sending-device.service';

export interface CancellationResult {
  readonly cancelledCount: number;
  /** Messages whose cancellation the phone has not confirmed yet. */
  readonly requestedCount: number;
}

/** Message ids in one cancel command: as many as the phone may confirm in one request. */
const MAX_CANCEL_REQUESTS = 1_000;

/**
 * Cancels messages: immediately those that were not pushed, and pushed ones after the phone confirms that it will not send
 * them.
 */
@Injectable()
export class CancellationService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly messages: CancellationRepository,
    private readonly runner: CancellationRunner,
    private readonly push: PushService,
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
    return this.cancel(account, deviceId, { batch: id }, [device]);
  }

  /** Cancels the messages of a batch that are not sent yet, on all its phones. Idempotent. @throws BatchNotFound */
  async cancelOnAllPhones(account: AccountScope, batch: Batch): Promise<CancellationResult> {
    const phones = await this.devices.findMany(account, batch.devices ?? [batch.device]);
    const paired = phones.filter(({ deletedAt }) => !deletedAt);
    return this.cancel(account, batch.device, { batch: batch._id }, paired);
  }

  /**
   * Cancels a message if it is not sent yet. Idempotent.
   * @throws MessageNotFound
   */
  async cancelMessage(account: AccountScope, id: Types.ObjectId): Promise<CancellationResult> {
    const message = await this.messages.findOutgoing(account, id);
    const device = message && (await this.devices.find(account, message.device));
    if (!message?.smsBatch || !device) throw new MessageNotFound();
    return this.cancel(account, device._id, { batch: message.smsBatch, messages: [id] }, [device]);
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
      const now = this.clock.now();
      count += await this.runner.run(account, deviceId, target, now, (cancellation) =>
        this.messages.cancelConfirmed(target, cancellation, now),
      );
    }
    return count;
  }

  private async cancel(
    account: AccountScope,
    device: Types.ObjectId,
    target: CancelTarget,
    phones: readonly Device[],
  ): Promise<CancellationResult> {
    const now = this.clock.now();
    await this.runner.run(account, device, target, now, (cancellation) =>
      this.messages.cancelUnclaimed(target, cancellation, now),
    );
    let requestedCount = 0;
    for (const phone of phones)
      requestedCount += await this.requestFromPhone(phone, { ...target, device: phone._id });
    return { cancelledCount: await this.messages.countCancelled(target), requestedCount };
  }

  private async requestFromPhone(device: Device, target: CancelTarget): Promise<number> {
    if (device.pushTransport !== 'stream' || !device.supportsCancel) return 0;
    await this.messages.markCancelRequested(target, this.clock.now());
    const requested = await this.messages.listCancelRequested(target);
    const smsIds = requested.map((id) => id.toHexString());
    const commands: PushCommand[] = [];
    for (let from = 0; from < smsIds.length; from += MAX_CANCEL_REQUESTS)
      commands.push({ kind: 'cancel', smsIds: smsIds.slice(from, from + MAX_CANCEL_REQUESTS) });
    if (commands.length > 0) await this.push.push(pushTargetOf(device), commands);
    return requested.length;
  }
}
