import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { Clock } from '../common/clock';
import {
  changesFromFacts,
  changesFromHeartbeat,
  DeviceChanges,
  DeviceFacts,
  HeartbeatFacts,
} from './device-facts';
import { Device } from './device.schema';
import { DeviceNotFound, SerialTaken } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { resolveOsVersion } from './os-version';

/** A device, and whether sends that name none go out from it. */
export interface DeviceView {
  readonly device: Device;
  readonly isDefault: boolean;
}

/** What stands for a fact the phone did not tell. */
const UNKNOWN = 'unknown';

/** How often two registrations of one phone, or of one token, may meet before it is a fault. */
const REGISTRATION_TRIES = 5;

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  async list(account: AccountScope): Promise<DeviceView[]> {
    const [devices, defaultDevice] = await Promise.all([
      this.devices.list(account),
      this.accounts.defaultDeviceOf(account),
    ]);
    return devices.map((device) => ({ device, isDefault: device._id.equals(defaultDevice ?? '') }));
  }

  /** @throws DeviceNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const [device, defaultDevice] = await Promise.all([
      this.devices.find(account, id),
      this.accounts.defaultDeviceOf(account),
    ]);
    if (!device) throw new DeviceNotFound();
    return { device, isDefault: device._id.equals(defaultDevice ?? '') };
  }

  /**
   * Registers a phone. One that registers again is the same device, refreshed, and never switched on by it;
   * it is recognised by its serial, else by its push token.
   */
  async register(account: AccountScope, said: DeviceFacts): Promise<DeviceView> {
    const pushTransport = said.pushTransport ?? (said.fcmToken ? 'fcm' : undefined);
    const facts = { ...said, pushTransport };
    for (let attempt = 1; attempt <= REGISTRATION_TRIES; attempt++) {
      const now = this.clock.now();
      const known = await this.recognise(account, facts);
      if (known) {
        const { enabled, ...refreshed } = facts;
        return this.update(account, known._id, refreshed);
      }
      if (facts.fcmToken) await this.devices.releaseToken(facts.fcmToken, undefined, now);
      const device = this.newDevice(account, facts, now);
      if (await this.devices.insert(device)) {
        await this.accounts.setDefaultDeviceIfNone(account, device._id, now);
        return this.get(account, device._id);
      }
      // Another registration of this phone or token was quicker: look again, and find it.
    }
    throw new Error('Registrations of one device keep meeting each other');
  }

  /** @throws DeviceNotFound, SerialTaken */
  async update(account: AccountScope, id: Types.ObjectId, facts: DeviceFacts): Promise<DeviceView> {
    const now = this.clock.now();
    await this.apply(account, id, changesFromFacts(facts, now), facts.fcmToken, now);
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
    const device = await this.apply(account, id, changesFromHeartbeat(facts, now), facts.fcmToken, now);
    return { device, fcmTokenUpdated: facts.fcmToken !== undefined && facts.fcmToken !== before.fcmToken };
  }

  /** @throws DeviceNotFound */
  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const { device } = await this.get(account, id);
    await this.accounts.setDefaultDevice(account, id, this.clock.now());
    return { device, isDefault: true };
  }

  /**
   * Deletes a device. Its messages leave the list; what still waits to be sent from it fails.
   * @throws DeviceNotFound
   */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    await this.accounts.unsetDefaultDevice(account, id, now);
    if (!(await this.devices.markDeleted(account, id, now))) throw new DeviceNotFound();
  }

  private async apply(
    account: AccountScope,
    id: Types.ObjectId,
    changes: DeviceChanges,
    fcmToken: string | undefined,
    now: Date,
  ): Promise<Device> {
    for (let attempt = 1; attempt <= REGISTRATION_TRIES; attempt++) {
      const changed = await this.devices.change(account, id, changes, now);
      if (changed === null) throw new DeviceNotFound();
      if (changed !== 'taken') return changed;
      if (fcmToken) await this.devices.releaseToken(fcmToken, id, now);
    }
    throw new SerialTaken();
  }

  private async recognise(account: AccountScope, facts: DeviceFacts): Promise<Device | null> {
    const bySerial = facts.serial ? await this.devices.findBySerial(account, facts.serial) : null;
    return bySerial ?? (facts.fcmToken ? this.devices.findByToken(account, facts.fcmToken) : null);
  }

  private newDevice(account: AccountScope, facts: DeviceFacts, now: Date): Device {
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
      _id: new Types.ObjectId(),
      user: account.user,
      ...fields,
      ...changesFromFacts(facts, now),
      ...resolveOsVersion(facts),
      createdAt: now,
      updatedAt: now,
    };
  }
}
