import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { Clock } from '../common/clock';
import { AccessChanges } from '../common/redis/access-changes';
import {
  changesFromFacts,
  changesFromHeartbeat,
  DeviceChanges,
  DeviceFacts,
  HeartbeatFacts,
} from './device-facts';
import { Device } from './device.schema';
import { recognise, UNKNOWN } from './device-recognition';
import { DeviceNotFound, RegistrationsBusy, SerialTaken } from './devices.errors';
import { DevicesRepository } from './devices.repository';
import { resolveOsVersion } from './os-version';

/** A device, and whether sends that name none go out from it. */
export interface DeviceView {
  readonly device: Device;
  readonly isDefault: boolean;
}

/** How long a registration may hold its account's turn, and how long others wait for theirs. */
const TURN_MS = 5_000;
const TURN_WAIT_MS = 10_000;
const LOOK_AGAIN_MS = 25;

/** How often a push token may change hands while it is written. */
const TRIES = 5;

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly accessChanges: AccessChanges,
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
   * Registers a phone. One that registers again is the same device, refreshed, and never switched on by it.
   * Registrations of one account happen one at a time, so that one phone never becomes two devices.
   */
  async register(account: AccountScope, said: DeviceFacts): Promise<DeviceView> {
    const pushTransport = said.pushTransport ?? (said.fcmToken ? 'fcm' : undefined);
    const facts = { ...said, pushTransport };
    const turn = await this.waitForTurn(account);
    try {
      const now = this.clock.now();
      const known = recognise(await this.devices.list(account), facts, now);
      if (!known) return await this.insert(account, facts, now);
      const { enabled, ...refreshed } = facts;
      return await this.update(account, known._id, refreshed);
    } finally {
      await this.accounts.endRegistrationTurn(account, turn);
    }
  }

  /** @throws DeviceNotFound, SerialTaken */
  async update(account: AccountScope, id: Types.ObjectId, facts: DeviceFacts): Promise<DeviceView> {
    const now = this.clock.now();
    await this.apply(account, id, changesFromFacts(facts, now), facts.fcmToken, now);
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
    await this.accessChanges.announce(account);
  }

  private async apply(
    account: AccountScope,
    id: Types.ObjectId,
    changes: DeviceChanges,
    fcmToken: string | undefined,
    now: Date,
  ): Promise<Device> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const changed = await this.devices.change(account, id, changes, now);
      if (changed === null) throw new DeviceNotFound();
      if (changed !== 'taken') return changed;
      if (fcmToken) await this.devices.releaseToken(fcmToken, id, now);
    }
    throw new SerialTaken();
  }

  private async waitForTurn(account: AccountScope): Promise<Types.ObjectId> {
    const turn = new Types.ObjectId();
    for (let waited = 0; waited < TURN_WAIT_MS; waited += LOOK_AGAIN_MS) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + TURN_MS);
      if (await this.accounts.takeRegistrationTurn(account, turn, until, now)) return turn;
      await sleep(LOOK_AGAIN_MS);
    }
    throw new RegistrationsBusy();
  }

  private async insert(account: AccountScope, facts: DeviceFacts, now: Date): Promise<DeviceView> {
    const device = this.newDevice(account, facts, now);
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      if (facts.fcmToken) await this.devices.releaseToken(facts.fcmToken, undefined, now);
      if (await this.devices.insert(device)) {
        await this.accounts.setDefaultDeviceIfNone(account, device._id, now);
        return this.get(account, device._id);
      }
      // Another account has registered the same token in between: it belongs to whoever comes last.
    }
    throw new RegistrationsBusy();
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
