import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import type { PhoneKey } from '../../auth/phone-key';
import { Clock } from '../../common/clock';
import { lacksToken } from '../connection/connection';
import { changesFromAttributes, DeviceAttributes } from '../store/device-attributes';
import { UNKNOWN } from '../store/device-name';
import { DeviceWriter } from './device-writer.service';
import { Device, type ExportRequest } from '../store/device.schema';
import { DeviceNotFound } from '../store/devices.errors';
import { DevicesRepository, type SwitchOf } from '../store/devices.repository';
import { resolveOsVersion } from './os-version';
import { PhoneKeyBindingService } from './phone-key-binding.service';
import { RegistrationLease } from './registration-lease';

/** A phone that redeemed a pairing code. */
export interface PairedPhone {
  readonly attributes: DeviceAttributes;
  readonly heartbeatIntervalMinutes: number;
  readonly smsSendDelaySeconds: number;
}

/** Stores new devices, the attributes of known ones, and which is the default. */
@Injectable()
export class DeviceRegistrationService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly writer: DeviceWriter,
    private readonly accounts: AccountsRepository,
    private readonly binding: PhoneKeyBindingService,
    private readonly lease: RegistrationLease,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a registration; a known phone updates its device, except for `enabled`.
   * @returns the id of the device.
   */
  async register(
    account: AccountScope,
    reported: DeviceAttributes,
    phoneKey: PhoneKey | undefined,
  ): Promise<Types.ObjectId> {
    const pushTransport = reported.pushTransport ?? (reported.fcmToken ? 'fcm' : undefined);
    const attributes = { ...reported, pushTransport };
    return this.lease.run(account, async () => {
      const now = this.clock.now();
      const devices = await this.devices.list(account);
      const { id, known } = await this.binding.findTarget(phoneKey, { account, devices, attributes, now });
      if (!known) {
        await this.writer.insert(account, newDevice(account, id, attributes, switchOf(phoneKey), now), now);
        await this.accounts.setDefaultDeviceIfNone(account, id, now);
        return id;
      }
      // The first registration may have failed before the device became the default.
      if (devices.length === 1) await this.accounts.setDefaultDeviceIfNone(account, id, now);
      const { enabled, ...refreshed } = attributes;
      await this.writer.updateAttributes(account, id, refreshed, switchOf(phoneKey), this.clock.now());
      return id;
    });
  }

  /** See `DevicesService.registerPaired`. */
  async registerPaired(account: AccountScope, id: Types.ObjectId, phone: PairedPhone): Promise<void> {
    const { attributes, ...facts } = phone;
    await this.lease.run(account, async () => {
      const now = this.clock.now();
      const devices = await this.devices.list(account);
      if (!devices.some(({ _id }) => _id.equals(id))) {
        this.binding.assertBelowLimit(devices);
        // It has not called yet: until its first call the code may be redeemed again.
        const { lastContactAt: _, ...device } = newDevice(account, id, attributes, 'phone', now);
        await this.writer.insert(account, { ...device, ...facts }, now);
      }
      await this.accounts.setDefaultDeviceIfNone(account, id, now);
    });
  }

  /** See `DevicesService.updateReported`. */
  async updateReported(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    exportRequest?: ExportRequest,
  ): Promise<void> {
    const now = this.clock.now();
    const changes = {
      ...changesFromAttributes(attributes, now),
      // At once, because its code cannot be redeemed again from now on.
      lastContactAt: now,
      ...(exportRequest && { exportRequest }),
    };
    await this.writer.update(account, id, changes, undefined, now);
  }

  /** Stores attributes, after binding the phone key if it is not bound yet. */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    phoneKey: PhoneKey | undefined,
  ): Promise<void> {
    const by = switchOf(phoneKey);
    if (!phoneKey || phoneKey.isBound)
      return this.writer.updateAttributes(account, id, attributes, by, this.clock.now());
    await this.lease.run(account, async () => {
      if (!(await this.devices.find(account, id))) throw new DeviceNotFound();
      await this.binding.bindToDevice(account, phoneKey.id, id, this.clock.now());
      await this.writer.updateAttributes(account, id, attributes, by, this.clock.now());
    });
  }

  /** @throws DeviceNotFound */
  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.devices.find(account, id))) throw new DeviceNotFound();
    await this.accounts.setDefaultDevice(account, id, this.clock.now());
  }
}

/** A full key is the owner's, also in an app: it may do all that the owner may. */
const switchOf = (phoneKey: PhoneKey | undefined): SwitchOf => (phoneKey ? 'phone' : 'owner');

function newDevice(
  account: AccountScope,
  id: Types.ObjectId,
  attributes: DeviceAttributes,
  by: SwitchOf,
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
    heartbeatEnabled: true,
    heartbeatIntervalMinutes: 30,
    receiveSMSEnabled: true,
    smsSendDelaySeconds: 5,
    pushTransport: 'fcm',
    probeDueAt: now,
    lastContactAt: now,
    connectionCheckAt: now,
  };
  const device = {
    _id: id,
    user: account.user,
    ...fields,
    ...changesFromAttributes(attributes, now),
    ...resolveOsVersion(attributes),
    ...(attributes.enabled === false && by === 'phone' && { enabledByOwner: true, enabledByPhone: false }),
    createdAt: now,
    updatedAt: now,
  };
  return { ...device, ...(lacksToken(device) && { pushTokenMissingSince: now }) };
}
