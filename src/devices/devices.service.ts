import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import type { PhoneKey } from '../auth/api-keys/phone-key';
import { Clock } from '../common/clock';
import { PushConfig } from '../config/sections/push.config';
import type { DeviceAttributes } from './device-attributes';
import { DeviceRegistrationService } from './device-registration.service';
import { DeviceRemovalService } from './device-removal.service';
import { Device } from './device.schema';
import { DeviceNotFound } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { pushErrorOf, type DevicePushError } from './push-error';

export interface DeviceView {
  readonly device: Device;
  /** Whether sends without a `deviceId` use this device. */
  readonly isDefault: boolean;
  /** Why it cannot receive pushes; undefined if it can. */
  readonly pushError: DevicePushError | undefined;
}

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly registration: DeviceRegistrationService,
    private readonly removal: DeviceRemovalService,
    private readonly accounts: AccountsRepository,
    private readonly pushConfig: PushConfig,
    private readonly clock: Clock,
  ) {}

  async list(account: AccountScope): Promise<DeviceView[]> {
    const [devices, defaultDevice] = await Promise.all([
      this.devices.list(account),
      this.accounts.defaultDeviceOf(account),
    ]);
    return devices.map((device) => this.viewOf(device, device._id.equals(defaultDevice ?? '')));
  }

  async get(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const [device, defaultDevice] = await Promise.all([
      this.devices.find(account, id),
      this.accounts.defaultDeviceOf(account),
    ]);
    if (!device) throw new DeviceNotFound();
    return this.viewOf(device, device._id.equals(defaultDevice ?? ''));
  }

  /**
   * Registers a phone. A known phone updates its device, except for `enabled`.
   * @param phoneKey the caller's phone key, which is bound to the device.
   * @throws DeviceLimitReached, RegistrationsBusy, KeyBound, Unauthorized
   */
  async register(
    account: AccountScope,
    reported: DeviceAttributes,
    phoneKey?: PhoneKey,
  ): Promise<DeviceView> {
    return this.get(account, await this.registration.register(account, reported, phoneKey));
  }

  /**
   * Updates a device.
   * @param phoneKey the caller's phone key, which is bound to the device if it is not bound yet.
   * @throws DeviceNotFound, SerialTaken, RegistrationsBusy, KeyBound, Unauthorized
   */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    phoneKey?: PhoneKey,
  ): Promise<DeviceView> {
    await this.registration.update(account, id, attributes, phoneKey);
    return this.get(account, id);
  }

  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const { device } = await this.get(account, id);
    await this.accounts.setDefaultDevice(account, id, this.clock.now());
    return this.viewOf(device, true);
  }

  /**
   * Deletes a device and revokes its phone keys. Its messages disappear from lists, and its pending messages fail.
   * @throws DeviceNotFound
   */
  remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    return this.removal.remove(account, id);
  }

  private viewOf(device: Device, isDefault: boolean): DeviceView {
    const isFcmConfigured = this.pushConfig.serviceAccount !== undefined;
    return { device, isDefault, pushError: pushErrorOf(device, isFcmConfigured) };
  }
}
