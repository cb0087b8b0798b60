import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { ApiKeysRepository, type KeyRecord } from '../auth/api-keys.repository';
import { KeyBound } from '../auth/phone-key';
import { Unauthorized } from '../common/errors';
import type { DeviceFacts } from './device-facts';
import { isSamePhone, recognise, recogniseIdentity } from './device-recognition';
import type { Device } from './device.schema';
import { DevicesRepository } from './devices.repository';

/** The device a registration is for: one that is known, or the id of a new one. */
export interface RegisteringDevice {
  readonly id: Types.ObjectId;
  readonly known?: Device;
}

/**
 * Binds phone keys to devices. Everything here happens under the account's registration lease, and before the device is
 * written: a process that dies in between leaves a key that is bound to a device that is not stored yet, and the phone's
 * next registration stores it under that id.
 */
@Injectable()
export class PhoneKeyBinding {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /**
   * Finds the device that a phone registers as with its key, and binds the key to it.
   * @param devices the account's devices.
   * @throws KeyBound when the key belongs to another phone, or the phone has another key; Unauthorized when the key was
   * revoked meanwhile.
   */
  async bindRegistering(
    account: AccountScope,
    keyId: Types.ObjectId,
    devices: readonly Device[],
    facts: DeviceFacts,
    now: Date,
  ): Promise<RegisteringDevice> {
    const key = await this.read(account, keyId, now);
    const found = key.device
      ? await this.ownDevice(account, key, key.device, devices, facts, now)
      : await this.freeDevice(account, devices, facts, now);
    await this.bind(account, keyId, found.id, now);
    return found;
  }

  /**
   * Binds the key of a phone that knows its device's id already.
   * @throws KeyBound unless the key was made for the device, or the last key of the device is revoked; Unauthorized when
   * the key was revoked meanwhile.
   */
  async bindKnown(
    account: AccountScope,
    keyId: Types.ObjectId,
    device: Types.ObjectId,
    now: Date,
  ): Promise<void> {
    const key = await this.read(account, keyId, now);
    if (!key.device) {
      const bound = await this.keys.listBoundDevices(account);
      const isFree = !bound.some((other) => other.equals(device));
      if (!isFree || !(await this.keys.hasRevokedOfDevice(account, device))) throw new KeyBound();
    }
    await this.bind(account, keyId, device, now);
  }

  /** Revokes the keys of a device that is deleted. */
  revokeOfDevice(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    return this.keys.revokeOfDevice(account, device, now);
  }

  /** The device of a key that is bound, or was made for one. */
  private async ownDevice(
    account: AccountScope,
    key: KeyRecord,
    id: Types.ObjectId,
    devices: readonly Device[],
    facts: DeviceFacts,
    now: Date,
  ): Promise<RegisteringDevice> {
    const known = devices.find((device) => device._id.equals(id));
    if (known) {
      // A key that was made for a device makes any phone that device, also a replacement.
      if (key.expiresAt || isSamePhone(known, facts, now)) return { id, known };
      throw new KeyBound();
    }
    if ((await this.devices.findMany(account, [id])).some(({ deletedAt }) => deletedAt)) {
      await this.keys.revoke(account, key._id, now);
      throw new Unauthorized();
    }
    if (recogniseIdentity(devices, facts)) throw new KeyBound();
    return { id };
  }

  /** The device that a phone becomes with a key that belongs to none: never one that another key is bound to. */
  private async freeDevice(
    account: AccountScope,
    devices: readonly Device[],
    facts: DeviceFacts,
    now: Date,
  ): Promise<RegisteringDevice> {
    const bound = new Set((await this.keys.listBoundDevices(account)).map(String));
    const identified = recogniseIdentity(devices, facts);
    if (identified && bound.has(identified._id.toHexString())) throw new KeyBound();
    const known = recognise(
      devices.filter(({ _id }) => !bound.has(_id.toHexString())),
      facts,
      now,
    );
    return { id: known?._id ?? new Types.ObjectId(), known };
  }

  private async bind(
    account: AccountScope,
    keyId: Types.ObjectId,
    device: Types.ObjectId,
    now: Date,
  ): Promise<void> {
    if (await this.keys.bind(account, keyId, device, now)) return;
    // It was revoked, or another process bound it after this one lost the lease.
    await this.read(account, keyId, now);
    throw new KeyBound();
  }

  private async read(account: AccountScope, keyId: Types.ObjectId, now: Date): Promise<KeyRecord> {
    const key = await this.keys.find(account, keyId);
    if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) throw new Unauthorized();
    return key;
  }
}
