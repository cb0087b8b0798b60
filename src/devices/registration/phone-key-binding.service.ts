import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { ApiKeysRepository, type KeyRecord } from '../../auth/api-keys/api-keys.repository';
import { KeyBound } from '../../auth/api-keys/api-key.errors';
import type { PhoneKey } from '../../auth/phone-key';
import { Unauthorized } from '../../common/errors';
import { DevicesConfig } from '../../config/sections/devices.config';
import type { DeviceAttributes } from '../store/device-attributes';
import { isSamePhone, matchDevice, matchByIdentity } from './device-matching';
import type { Device } from '../store/device.schema';
import { DeviceLimitReached } from '../store/devices.errors';
import { DevicesRepository } from '../store/devices.repository';

/** The device a registration applies to: a known one, or the id for a new one. */
export interface RegistrationTarget {
  readonly id: Types.ObjectId;
  readonly known?: Device;
}

export interface Registration {
  readonly account: AccountScope;
  /** All devices of the account. */
  readonly devices: readonly Device[];
  readonly attributes: DeviceAttributes;
  readonly now: Date;
}

/**
 * Finds the device of a registration, and binds phone keys to devices. Call it while holding the account's registration
 * lease and before writing the device: if the process dies in between, the phone's next registration stores the device
 * under the bound id.
 */
@Injectable()
export class PhoneKeyBindingService {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly devices: DevicesRepository,
    private readonly config: DevicesConfig,
  ) {}

  /**
   * Finds the device of a registering phone, and binds its phone key to it.
   * @throws DeviceLimitReached; KeyBound if the key belongs to another phone, or the phone has another key; Unauthorized
   * if the key was revoked in the meantime.
   */
  async findTarget(phoneKey: PhoneKey | undefined, registration: Registration): Promise<RegistrationTarget> {
    const { devices, attributes, now } = registration;
    const match = matchDevice(devices, attributes, now);
    // Check the limit before binding the key, so that a rejected registration changes nothing.
    if (!phoneKey?.isBound && !match) this.assertBelowLimit(devices);
    const target = phoneKey ? await this.bindOnRegistration(phoneKey.id, registration) : toTarget(match);
    if (!target.known) this.assertBelowLimit(devices);
    return target;
  }

  /**
   * Binds the key of a phone that already knows its device id.
   * @throws KeyBound unless the key was created for the device, or the device's last key is revoked; Unauthorized if the
   * key was revoked in the meantime.
   */
  async bindToDevice(
    account: AccountScope,
    keyId: Types.ObjectId,
    device: Types.ObjectId,
    now: Date,
  ): Promise<void> {
    const key = await this.loadKey(account, keyId, now);
    if (!key.device) {
      const bound = await this.keys.listBoundDevices(account);
      const isFree = !bound.some((other) => other.equals(device));
      if (!isFree || !(await this.keys.hasRevokedOfDevice(account, device))) throw new KeyBound();
    }
    await this.bind(account, keyId, device, now);
  }

  private async bindOnRegistration(
    keyId: Types.ObjectId,
    registration: Registration,
  ): Promise<RegistrationTarget> {
    const { account, now } = registration;
    const key = await this.loadKey(account, keyId, now);
    const found = key.device
      ? await this.findBoundDevice(key, key.device, registration)
      : await this.findUnboundDevice(registration);
    await this.bind(account, keyId, found.id, now);
    return found;
  }

  private async findBoundDevice(
    key: KeyRecord,
    id: Types.ObjectId,
    { account, devices, attributes, now }: Registration,
  ): Promise<RegistrationTarget> {
    const known = devices.find((device) => device._id.equals(id));
    if (known) {
      // A key created for a device allows a replacement phone to become that device.
      if (key.expiresAt || isSamePhone(known, attributes, now)) return { id, known };
      throw new KeyBound();
    }
    if ((await this.devices.findMany(account, [id])).some(({ deletedAt }) => deletedAt)) {
      await this.keys.revoke(account, key._id, now);
      throw new Unauthorized();
    }
    if (matchByIdentity(devices, attributes)) throw new KeyBound();
    return { id };
  }

  private async findUnboundDevice(registration: Registration): Promise<RegistrationTarget> {
    const { account, devices, attributes, now } = registration;
    const bound = new Set((await this.keys.listBoundDevices(account)).map(String));
    const identified = matchByIdentity(devices, attributes);
    if (identified && bound.has(identified._id.toHexString())) throw new KeyBound();
    const free = devices.filter(({ _id }) => !bound.has(_id.toHexString()));
    return toTarget(matchDevice(free, attributes, now));
  }

  /** @throws DeviceLimitReached */
  assertBelowLimit(devices: readonly Device[]): void {
    const { maxPerAccount } = this.config;
    if (devices.length >= maxPerAccount) throw new DeviceLimitReached(maxPerAccount);
  }

  private async bind(
    account: AccountScope,
    keyId: Types.ObjectId,
    device: Types.ObjectId,
    now: Date,
  ): Promise<void> {
    if (await this.keys.bind(account, keyId, device, now)) return;
    // Either the key was revoked, or another process bound it after this one lost the lease.
    await this.loadKey(account, keyId, now);
    throw new KeyBound();
  }

  private async loadKey(account: AccountScope, keyId: Types.ObjectId, now: Date): Promise<KeyRecord> {
    const key = await this.keys.find(account, keyId);
    if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= now)) throw new Unauthorized();
    return key;
  }
}

function toTarget(known: Device | undefined): RegistrationTarget {
  return { id: known?._id ?? new Types.ObjectId(), known };
}
