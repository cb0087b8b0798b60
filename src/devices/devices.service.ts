import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import type { PhoneKey } from '../auth/phone-key';
import { Clock } from '../common/clock';
import { PushConfig } from '../config/push.config';
import { AccessChanges } from '../common/redis/access-changes';
import { DevicesConfig } from '../config/devices.config';
import { changesFromFacts, changesFromHeartbeat, DeviceFacts, HeartbeatFacts } from './device-facts';
import { Device } from './device.schema';
import { recognise, UNKNOWN } from './device-recognition';
import { DeviceWriter } from './device-writer.service';
import { DeviceLimitReached, DeviceNotFound } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { resolveOsVersion } from './os-version';
import { PhoneKeyBinding, type RegisteringDevice } from './phone-key-binding.service';
import { RegistrationLease } from './registration-lease';

/** A device, and whether sends that name none go out from it. */
export interface DeviceView {
  readonly device: Device;
  readonly isDefault: boolean;
  /** The server is not set up to push to it. */
  readonly lacksFirebase: boolean;
}

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly writer: DeviceWriter,
    private readonly accounts: AccountsRepository,
    private readonly binding: PhoneKeyBinding,
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
   * Registers a phone. One that registers again is the same device, refreshed, and never switched on by it.
   * Registrations of one account happen one at a time, so that one phone never becomes two devices, and the limit holds.
   * @param phoneKey the phone key that the phone registers with, if it has one: it is bound to the device.
   * @throws DeviceLimitReached, RegistrationsBusy, KeyBound, Unauthorized
   */
  async register(account: AccountScope, reported: DeviceFacts, phoneKey?: PhoneKey): Promise<DeviceView> {
    const pushTransport = reported.pushTransport ?? (reported.fcmToken ? 'fcm' : undefined);
    const facts = { ...reported, pushTransport };
    return this.lease.run(account, async () => {
      const now = this.clock.now();
      const devices = await this.devices.list(account);
      // Before the key is bound: what is refused leaves nothing behind.
      if (!phoneKey?.isBound && !recognise(devices, facts, now)) this.assertRoom(devices);
      const { id, known } = phoneKey
        ? await this.binding.bindRegistering(account, phoneKey.id, devices, facts, now)
        : newOrKnown(recognise(devices, facts, now));
      if (!known) {
        this.assertRoom(devices);
        return this.insert(account, id, facts, now);
      }
      // Its first registration may have ended before the device became the default.
      if (devices.length === 1) await this.accounts.setDefaultDeviceIfNone(account, id, now);
      const { enabled, ...refreshed } = facts;
      return this.update(account, id, refreshed);
    });
  }

  private assertRoom(devices: readonly Device[]): void {
    const { maxPerAccount } = this.config;
    if (devices.length >= maxPerAccount) throw new DeviceLimitReached(maxPerAccount);
  }

  /**
   * Changes a device.
   * @param phoneKey the phone key of the caller, if it has one: it is bound to the device if it belongs to none yet.
   * @throws DeviceNotFound, SerialTaken, RegistrationsBusy, KeyBound, Unauthorized
   */
  async change(
    account: AccountScope,
    id: Types.ObjectId,
    facts: DeviceFacts,
    phoneKey?: PhoneKey,
  ): Promise<DeviceView> {
    if (!phoneKey || phoneKey.isBound) return this.update(account, id, facts);
    return this.lease.run(account, async () => {
      if (!(await this.devices.find(account, id))) throw new DeviceNotFound();
      await this.binding.bindKnown(account, phoneKey.id, id, this.clock.now());
      return this.update(account, id, facts);
    });
  }

  /** @throws DeviceNotFound, SerialTaken */
  async update(account: AccountScope, id: Types.ObjectId, facts: DeviceFacts): Promise<DeviceView> {
    const now = this.clock.now();
    await this.writer.change(account, id, changesFromFacts(facts, now), facts.fcmToken, now);
    if (facts.enabled !== undefined) await this.accessChanges.announce(account);
    const osVersion = resolveOsVersion(facts);
    if (osVersion) await this.devices.changeOsVersionUnlessReported(account, id, osVersion);
    return this.get(account, id);
  }

  /**
   * Takes in a heartbeat.
   * @returns the device as it is now, and whether the heartbeat brought a new push token.
   * @throws DeviceNotFound
   */
  async recordHeartbeat(
    account: AccountScope,
    id: Types.ObjectId,
    facts: HeartbeatFacts,
  ): Promise<{ device: Device; fcmTokenUpdated: boolean }> {
    const now = this.clock.now();
    const before = await this.devices.find(account, id);
    if (!before) throw new DeviceNotFound();
    const device = await this.writer.change(
      account,
      id,
      changesFromHeartbeat(facts, now),
      facts.fcmToken,
      now,
    );
    const isNewToken = facts.fcmToken !== undefined && facts.fcmToken !== before.fcmToken;
    return { device, fcmTokenUpdated: isNewToken && device.fcmToken === facts.fcmToken };
  }

  /** @throws DeviceNotFound */
  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const { device } = await this.get(account, id);
    await this.accounts.setDefaultDevice(account, id, this.clock.now());
    return this.viewOf(device, true);
  }

  /**
   * Deletes a device, and revokes its phone keys. Its messages leave the list; what still waits to be sent from it fails.
   * @throws DeviceNotFound
   */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    // First: a process that dies here leaves a device that can be deleted again, not a key of a deleted one.
    await this.binding.revokeOfDevice(account, id, now);
    await this.accounts.unsetDefaultDevice(account, id, now);
    if (!(await this.devices.markDeleted(account, id, now))) throw new DeviceNotFound();
    // One that was bound meanwhile.
    await this.binding.revokeOfDevice(account, id, now);
    await this.accessChanges.announce(account);
  }

  private async insert(
    account: AccountScope,
    id: Types.ObjectId,
    facts: DeviceFacts,
    now: Date,
  ): Promise<DeviceView> {
    await this.writer.insert(account, this.newDevice(account, id, facts, now), now);
    await this.accounts.setDefaultDeviceIfNone(account, id, now);
    return this.get(account, id);
  }

  private viewOf(device: Device, isDefault: boolean): DeviceView {
    const lacksFirebase = device.pushTransport === 'fcm' && !this.pushConfig.serviceAccount;
    return { device, isDefault, lacksFirebase };
  }

  private newDevice(account: AccountScope, id: Types.ObjectId, facts: DeviceFacts, now: Date): Device {
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
      ...changesFromFacts(facts, now),
      ...resolveOsVersion(facts),
      createdAt: now,
      updatedAt: now,
    };
  }
}

function newOrKnown(known: Device | undefined): RegisteringDevice {
  return { id: known?._id ?? new Types.ObjectId(), known };
}
