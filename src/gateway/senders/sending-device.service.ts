import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Device } from '../../devices/store/device.schema';
import {
  DeviceDisabled,
  DeviceDraining,
  DeviceNotFound,
  NoEnabledDevice,
} from '../../devices/store/devices.errors';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { pushErrorOf, type DevicePushError } from '../../devices/store/push-error';
import { PushClient } from '../../push/push-client.service';

@Injectable()
export class SendingDeviceService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly pushClient: PushClient,
  ) {}

  /**
   * Selects the device of a send that names none: the account's default device if it is enabled, reachable by push and not
   * draining, otherwise the one with the latest heartbeat among those that are.
   * @throws DeviceDraining, DeviceNotPushable, PushTokenHeld, NoEnabledDevice
   */
  async selectDevice(account: AccountScope, defaultId: Types.ObjectId | undefined): Promise<Device> {
    const defaultDevice = defaultId && (await this.devices.find(account, defaultId));
    if (defaultDevice?.enabled && !this.refusalOf(defaultDevice)) return defaultDevice;
    const enabled = await this.devices.listEnabledByHeartbeat(account);
    const pushable = enabled.find((device) => !this.refusalOf(device));
    if (!pushable) throw (enabled[0] && this.refusalOf(enabled[0])) ?? new NoEnabledDevice();
    return pushable;
  }

  /**
   * @param device null if the account has no such device.
   * @throws DeviceNotFound, DeviceDisabled, DeviceDraining, DeviceNotPushable, PushTokenHeld
   */
  assertCanSend(device: Device | null): Device {
    if (!device) throw new DeviceNotFound();
    if (!device.enabled) throw new DeviceDisabled();
    const refusal = this.refusalOf(device);
    if (refusal) throw refusal;
    return device;
  }

  private refusalOf(device: Device): DeviceDraining | DevicePushError | undefined {
    if (device.drainingSince) return new DeviceDraining();
    return pushErrorOf(device, this.pushClient.isFcmConfigured);
  }
}
