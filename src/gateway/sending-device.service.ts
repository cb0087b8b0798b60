import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Device } from '../devices/device.schema';
import {
  DeviceDisabled,
  DeviceNotFound,
  DeviceNotPushable,
  FirebaseNotConfigured,
  NoDevice,
  PushTokenHeld,
} from '../devices/devices.errors';
import { DevicesRepository } from '../devices/devices.repository';
import { PushService, RoutedTarget } from '../push/push.service';

export function pushTargetOf(device: Device): RoutedTarget {
  return { deviceId: device._id, transport: device.pushTransport, fcmToken: device.fcmToken };
}

/** Which device a send goes out from. */
@Injectable()
export class SendingDeviceService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly push: PushService,
  ) {}

  /**
   * For a send that names none: the account's default, if it is enabled; else the enabled one heard of last. One that
   * cannot be pushed to is passed over.
   * @param defaultId the account's default device, if it has one.
   * @throws DeviceNotPushable, PushTokenHeld, NoDevice
   */
  async choose(account: AccountScope, defaultId: Types.ObjectId | undefined): Promise<Device> {
    const defaultDevice = defaultId && (await this.devices.find(account, defaultId));
    if (defaultDevice?.enabled && this.push.canReach(pushTargetOf(defaultDevice))) return defaultDevice;
    const enabled = await this.devices.listEnabledByHeartbeat(account);
    const reachable = enabled.find((device) => this.push.canReach(pushTargetOf(device)));
    if (!reachable) throw enabled[0] ? this.notPushable(enabled[0]) : new NoDevice();
    return reachable;
  }

  /**
   * For a send that names its device.
   * @param device null where the account has no such device.
   * @throws DeviceNotFound, DeviceDisabled, DeviceNotPushable, PushTokenHeld
   */
  admit(device: Device | null): Device {
    if (!device) throw new DeviceNotFound();
    if (!device.enabled) throw new DeviceDisabled();
    if (!this.push.canReach(pushTargetOf(device))) throw this.notPushable(device);
    return device;
  }

  private notPushable(device: Device): Error {
    if (!this.push.isConfigured(pushTargetOf(device))) return new FirebaseNotConfigured();
    return device.pushTokenHeldAt ? new PushTokenHeld() : new DeviceNotPushable();
  }
}
