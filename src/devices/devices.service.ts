import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import type { PhoneKey } from '../auth/api-keys/phone-key';
import { Clock } from '../common/clock';
import { PushConfig } from '../config/sections/push.config';
import { AccessChanges } from '../infrastructure/redis/access-changes';
import { DevicesConfig } from '../config/sections/devices.config';
import {
  changesFromAttributes,
  changesFromHeartbeat,
  DeviceAttributes,
  HeartbeatAttributes,
} from './device-attributes';
import { Device } from './device.schema';
import { matchDevice, UNKNOWN } from './device-matching';
import { DeviceWriter } from './device-writer.service';
import { DeviceLimitReached, DeviceNotFound } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { resolveOsVersion } from './os-version';
import { pushRefusal, type PushRefusal } from './push-refusal';
import { PhoneKeyBindingService, type RegistrationTarget } from './phone-key-binding.service';
import { RegistrationLease } from './registration-lease';

export interface DeviceView {
  readonly device: Device;
  /** Whether sends without a `deviceId` use this device. */
  readonly isDefault: boolean;
  /** Why it cannot receive pushes; undefined if it can. */
  readonly pushRefusal: PushRefusal | undefined;
}

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly writer: DeviceWriter,
    private readonly accounts: AccountsRepository,
    private readonly binding: PhoneKeyBindingService,
    private readonly lease: RegistrationLease,
    private readonly accessChanges: AccessChanges,
    private readonly pushConfig: PushConfig,
    private readonly config: DevicesConfig,
    private readonly clock: Clock,
  ) {}

  async list(account: AccountScope): Promise<DeviceView[]> {
    const [devices, defaultDevice] = await Promise.all([
      this.devices.list(account),
      this.accounts.defaultDeviceOf(account),
    ]);
    return devices.map((device) => this.viewOf(device, device._id.equals(defaultDevice ?? '')));
  }

  /** @throws DeviceNotFound */
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
    const pushTransport = reported.pushTransport ?? (reported.fcmToken ? 'fcm' : undefined);
    const attributes = { ...reported, pushTransport };
    return this.lease.run(account, async () => {
      const now = this.clock.now();
      const devices = await this.devices.list(account);
      // Check the limit before binding the key, so that a rejected registration changes nothing.
      if (!phoneKey?.isBound && !matchDevice(devices, attributes, now)) this.assertBelowLimit(devices);
      const { id, known } = phoneKey
        ? await this.binding.bindOnRegistration(account, phoneKey.id, devices, attributes, now)
        : toRegistrationTarget(matchDevice(devices, attributes, now));
      if (!known) {
        this.assertBelowLimit(devices);
        return this.insert(account, id, attributes, now);
      }
      // The first registration may have failed before the device became the default.
      if (devices.length === 1) await this.accounts.setDefaultDeviceIfNone(account, id, now);
      const { enabled, ...refreshed } = attributes;
      return this.write(account, id, refreshed);
    });
  }

  private assertBelowLimit(devices: readonly Device[]): void {
    const { maxPerAccount } = this.config;
    if (devices.length >= maxPerAccount) throw new DeviceLimitReached(maxPerAccount);
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
    if (!phoneKey || phoneKey.isBound) return this.write(account, id, attributes);
    return this.lease.run(account, async () => {
      if (!(await this.devices.find(account, id))) throw new DeviceNotFound();
      await this.binding.bindToDevice(account, phoneKey.id, id, this.clock.now());
      return this.write(account, id, attributes);
    });
  }

  private async write(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
  ): Promise<DeviceView> {
    const now = this.clock.now();
    await this.writer.update(account, id, changesFromAttributes(attributes, now), attributes.fcmToken, now);
    if (attributes.enabled !== undefined) await this.accessChanges.publish(account);
    const osVersion = resolveOsVersion(attributes);
    if (osVersion) await this.devices.setInferredOsVersion(account, id, osVersion);
    return this.get(account, id);
  }

  /**
   * Stores a heartbeat.
   * @returns the updated device, and whether its push token changed.
   * @throws DeviceNotFound
   */
  async recordHeartbeat(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: HeartbeatAttributes,
  ): Promise<{ device: Device; fcmTokenUpdated: boolean }> {
    const now = this.clock.now();
    const before = await this.devices.find(account, id);
    if (!before) throw new DeviceNotFound();
    const device = await this.writer.update(
      account,
      id,
      changesFromHeartbeat(attributes, now),
      attributes.fcmToken,
      now,
    );
    const isNewToken = attributes.fcmToken !== undefined && attributes.fcmToken !== before.fcmToken;
    return { device, fcmTokenUpdated: isNewToken && device.fcmToken === attributes.fcmToken };
  }

  /** @throws DeviceNotFound */
  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const { device } = await this.get(account, id);
    await this.accounts.setDefaultDevice(account, id, this.clock.now());
    return this.viewOf(device, true);
  }

  /**
   * Deletes a device and revokes its phone keys. Its messages disappear from lists, and its pending messages fail.
   * @throws DeviceNotFound
   */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    // Revoke first: if the process dies here, the device can be deleted again and no key of a deleted device remains.
    await this.binding.revokeOfDevice(account, id, now);
    await this.accounts.unsetDefaultDevice(account, id, now);
    if (!(await this.devices.markDeleted(account, id, now))) throw new DeviceNotFound();
    // Again, because a key may have been bound in the meantime.
    await this.binding.revokeOfDevice(account, id, now);
    await this.accessChanges.publish(account);
  }

  private async insert(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    now: Date,
  ): Promise<DeviceView> {
    await this.writer.insert(account, this.newDevice(account, id, attributes, now), now);
    await this.accounts.setDefaultDeviceIfNone(account, id, now);
    return this.get(account, id);
  }

  private viewOf(device: Device, isDefault: boolean): DeviceView {
    const isFcmConfigured = this.pushConfig.serviceAccount !== undefined;
    return { device, isDefault, pushRefusal: pushRefusal(device, isFcmConfigured) };
  }

  private newDevice(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    now: Date,
  ): Device {
    const fields: Omit<Device, '_id' | 'user' | 'createdAt' | 'updatedAt'> = {
      enabled: true,
      brand: UNKNOWN,
      manufacturer: UNKNOWN,
      model: UNKNOWN,
      buildId: UNKNOWN,
      os: UNKNOWN,
      osVersion: UNKNOWN,
      sentSMSCount: 0,
      receivedSMSCount: 0,
      heartbeatEnabled: true,
      heartbeatIntervalMinutes: 30,
      receiveSMSEnabled: true,
      smsSendDelaySeconds: 5,
      pushTransport: 'fcm',
      probeDueAt: now,
    };
    return {
      _id: id,
      user: account.user,
      ...fields,
      ...changesFromAttributes(attributes, now),
      ...resolveOsVersion(attributes),
      createdAt: now,
      updatedAt: now,
    };
  }
}

function toRegistrationTarget(known: Device | undefined): RegistrationTarget {
  return { id: known?._id ?? new Types.ObjectId(), known };
}
