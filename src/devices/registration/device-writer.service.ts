import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { changesFromAttributes, type DeviceAttributes, type DeviceChanges } from '../store/device-attributes';
import { lacksToken } from '../connection/connection';
import { Device } from '../store/device.schema';
import { DeviceNotFound, RegistrationsBusy, SerialTaken } from '../store/devices.errors';
import { DevicesRepository, type SwitchOf } from '../store/devices.repository';
import { resolveOsVersion } from './os-version';
import { SimSync } from '../sims/sim-sync.service';

const MAX_ATTEMPTS = 5;

/**
 * Writes devices with their SIMs, and keeps push tokens unique. A token moves from a device of another account only if both have the same
 * serial, or if that device has sent no heartbeat for two intervals. Until then the reporting device has no token.
 */
@Injectable()
export class DeviceWriter {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accessChanges: AccessChanges,
    private readonly sims: SimSync,
  ) {}

  /** @throws RegistrationsBusy if concurrent writes keep taking the serial or the push token. */
  async insert(account: AccountScope, device: Device, now: Date): Promise<void> {
    const { fcmToken, serial, ...rest } = device;
    let written = device;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (written.fcmToken) await this.devices.releaseToken(account, written.fcmToken, { serial }, now);
      if (await this.devices.insert(written)) return this.sims.record(written, now);
      if (fcmToken && (await this.devices.isTokenHeldByOther(fcmToken, device._id)))
        written = {
          ...rest,
          ...(serial !== undefined && { serial }),
          pushTokenHeldAt: now,
          pushTokenMissingSince: now,
        };
    }
    throw new RegistrationsBusy();
  }

  /**
   * Writes the fields. If another account's device holds the token, the device ends up without a token.
   * @throws DeviceNotFound, SerialTaken, RegistrationsBusy if concurrent writes keep taking the push token.
   */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    changes: DeviceChanges,
    fcmToken: string | undefined,
    now: Date,
  ): Promise<Device> {
    let update = fcmToken === undefined ? { set: changes } : { set: changes, unset: ['pushTokenHeldAt'] };
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const updated = await this.devices.update(account, id, update, now);
      if (updated === null) throw new DeviceNotFound();
      if (updated !== 'conflict') {
        if (changes.simInfo) await this.sims.record(updated, now);
        return this.trackToken(account, updated, now);
      }
      const { serial } = changes;
      if (typeof serial === 'string' && (await this.devices.isSerialHeldByOther(account, serial, id)))
        throw new SerialTaken();
      if (fcmToken === undefined) continue;
      if (await this.releaseFromHolder(account, id, changes, fcmToken, now)) continue;
      if (!(await this.devices.isTokenHeldByOther(fcmToken, id))) continue;
      const { fcmToken: _token, ...others } = changes;
      update = { set: { ...others, pushTokenHeldAt: now }, unset: ['fcmToken'] };
    }
    throw new RegistrationsBusy();
  }

  /**
   * Writes the attributes of a device.
   * @param by whose switch `enabled` is.
   * @throws DeviceNotFound, SerialTaken, RegistrationsBusy
   */
  async updateAttributes(
    account: AccountScope,
    id: Types.ObjectId,
    { enabled, ...attributes }: DeviceAttributes,
    by: SwitchOf,
    now: Date,
  ): Promise<void> {
    // First, because the switch counts even if the rest is refused.
    if (enabled !== undefined) {
      if (!(await this.devices.setEnabled(account, id, by, enabled, now))) throw new DeviceNotFound();
      await this.accessChanges.publish(account);
    }
    await this.update(account, id, changesFromAttributes(attributes, now), attributes.fcmToken, now);
    const osVersion = resolveOsVersion(attributes);
    if (osVersion) await this.devices.setInferredOsVersion(account, id, osVersion);
  }

  /** Stores since when a device has no push token, and that it is back when it has one. */
  private async trackToken(account: AccountScope, device: Device, now: Date): Promise<Device> {
    const isMissing = lacksToken(device);
    if (isMissing === (device.pushTokenMissingSince !== undefined)) return device;
    return (await this.devices.setTokenMissing(account, device, isMissing, now)) ?? device;
  }

  private async releaseFromHolder(
    account: AccountScope,
    id: Types.ObjectId,
    { serial }: DeviceChanges,
    fcmToken: string,
    now: Date,
  ): Promise<boolean> {
    const own = typeof serial === 'string' ? serial : (await this.devices.find(account, id))?.serial;
    return this.devices.releaseToken(account, fcmToken, { keeper: id, serial: own }, now);
  }
}
