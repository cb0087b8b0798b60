import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import type { DeviceChanges } from './device-facts';
import { Device } from './device.schema';
import { DeviceNotFound, RegistrationsBusy, SerialTaken } from './devices.errors';
import { DevicesRepository } from './devices.repository';

/** How often a push token may change hands while it is written. */
const MAX_TRIES = 5;

/**
 * Writes devices. A push token is one device's. It leaves a device of another account only for the same phone (its
 * serial), or when that device has been silent for two heartbeat intervals; until then the device that reports it is
 * stored without a token, cannot be pushed to, and says why.
 */
@Injectable()
export class DeviceWriter {
  constructor(private readonly devices: DevicesRepository) {}

  /** @throws RegistrationsBusy when serial or push token are taken by others again and again. */
  async insert(account: AccountScope, device: Device, now: Date): Promise<void> {
    const { fcmToken, serial, ...rest } = device;
    let written = device;
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      if (written.fcmToken) await this.devices.releaseToken(account, written.fcmToken, { serial }, now);
      if (await this.devices.insert(written)) return;
      if (fcmToken && (await this.devices.isTokenHeld(fcmToken, device._id)))
        written = { ...rest, ...(serial !== undefined && { serial }), pushTokenHeldAt: now };
    }
    throw new RegistrationsBusy();
  }

  /**
   * Writes the fields. A token that another account's device holds is left out, and the device's own token goes.
   * @throws DeviceNotFound, SerialTaken
   */
  async change(
    account: AccountScope,
    id: Types.ObjectId,
    changes: DeviceChanges,
    fcmToken: string | undefined,
    now: Date,
  ): Promise<Device> {
    let written = fcmToken === undefined ? { set: changes } : { set: changes, unset: ['pushTokenHeldAt'] };
    for (let attempt = 1; attempt <= MAX_TRIES; attempt++) {
      const changed = await this.devices.change(account, id, written, now);
      if (changed === null) throw new DeviceNotFound();
      if (changed !== 'taken') return changed;
      if (fcmToken === undefined) break;
      if (await this.releaseFor(account, id, changes, fcmToken, now)) continue;
      if (!(await this.devices.isTokenHeld(fcmToken, id))) continue;
      const { fcmToken: _held, ...others } = changes;
      written = { set: { ...others, pushTokenHeldAt: now }, unset: ['fcmToken'] };
    }
    throw new SerialTaken();
  }

  private async releaseFor(
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
