import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { ValidationFailed } from '../../common/errors';
import type { Device } from '../../devices/store/device.schema';
import { DeviceNotFound } from '../../devices/store/devices.errors';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { DevicesService } from '../../devices/devices.service';
import { TargetDeviceNotFound } from '../../gateway/routing/move.errors';
import { SendingDeviceService } from '../../gateway/senders/sending-device.service';
import { type FinishedMessages, UnconfirmedMessagesService } from '../checks/unconfirmed-messages.service';
import { DeviceReplaced } from './replacement.errors';

/** Messages that move before the answer; the others move within seconds after it. */
const MAX_MOVED_MESSAGES = 5_000;

/** Replaces a phone by another one of the account. */
@Injectable()
export class PhoneReplacement {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly devicesService: DevicesService,
    private readonly senders: SendingDeviceService,
    private readonly unconfirmed: UnconfirmedMessagesService,
  ) {}

  /**
   * Deletes a phone in favour of another one. Messages that it may have and has not reported become `unknown`, and are never
   * handed out again; those that wait for it move to the other phone; the rest stay with it. Repeated calls continue; so does a scheduler.
   * @throws DeviceNotFound, TargetDeviceNotFound, DeviceReplaced, DeviceDisabled, DeviceDraining, DeviceNotPushable, PushTokenHeld
   */
  async replace(
    account: AccountScope,
    id: Types.ObjectId,
    replacement: Types.ObjectId,
  ): Promise<FinishedMessages> {
    if (id.equals(replacement))
      throw ValidationFailed.of('deviceId', 'must not be the device that is replaced');
    const device = await this.find(account, id);
    const replaced = device.deletedAt ? device : await this.remove(account, id, replacement);
    if (!replaced.replacedBy) throw new DeviceNotFound();
    if (!replaced.replacedBy.equals(replacement)) throw new DeviceReplaced();
    return this.unconfirmed.finish(replaced, MAX_MOVED_MESSAGES);
  }

  /** @returns the device as it is then: another call may have replaced or deleted it. */
  private async remove(
    account: AccountScope,
    id: Types.ObjectId,
    replacement: Types.ObjectId,
  ): Promise<Device> {
    const target = await this.devices.find(account, replacement);
    if (!target) throw new TargetDeviceNotFound();
    this.senders.assertCanSend(target);
    try {
      await this.devicesService.remove(account, id, { replacedBy: replacement });
    } catch (failure) {
      if (!(failure instanceof DeviceNotFound)) throw failure;
    }
    return this.find(account, id);
  }

  /** Finds a device, also a deleted one. */
  private async find(account: AccountScope, id: Types.ObjectId): Promise<Device> {
    const [device] = await this.devices.findMany(account, [id]);
    if (!device) throw new DeviceNotFound();
    return device;
  }
}
