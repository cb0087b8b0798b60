import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import type { PhoneKey } from '../auth/phone-key';
import type { MessageTotals } from '../totals/totals.schema';
import { TotalsService } from '../totals/totals.service';
import type { Connection } from './connection/connection';
import type { DeviceAttributes } from './store/device-attributes';
import { DeviceRegistrationService, type PairedPhone } from './registration/device-registration.service';
import type { Device, ExportRequest } from './store/device.schema';
import { DeviceRemovalService, type RemovalOptions } from './device-removal.service';
import { DeviceNotFound } from './store/devices.errors';
import { DevicesRepository } from './store/devices.repository';
import { PhoneFactsReader } from './problems/phone-facts.service';
import { healthOf, type PhoneHealth, problemsOfPhone } from './problems/phone-problems';
import type { DevicePushError } from './store/push-error';

/** A stored device, its totals, and what follows from the state of its phone. */
export interface DeviceView {
  readonly device: Device;
  readonly totals: MessageTotals;
  /** Whether sends without a `deviceId` use this device. */
  readonly isDefault: boolean;
  readonly connection: Connection;
  /** Why it cannot receive pushes; undefined if it can. */
  readonly pushError: DevicePushError | undefined;
  readonly health: PhoneHealth;
}

@Injectable()
export class DevicesService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly registration: DeviceRegistrationService,
    private readonly removal: DeviceRemovalService,
    private readonly accounts: AccountsRepository,
    private readonly totals: TotalsService,
    private readonly facts: PhoneFactsReader,
  ) {}

  async list(account: AccountScope): Promise<DeviceView[]> {
    return this.viewsOf(account, await this.devices.list(account));
  }

  /** @throws DeviceNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    const [view] = await this.viewsOf(account, [await this.getStored(account, id)]);
    if (!view) throw new DeviceNotFound();
    return view;
  }

  /** The device alone, in one query instead of the several of `get`. @throws DeviceNotFound */
  async getStored(account: AccountScope, id: Types.ObjectId): Promise<Device> {
    const device = await this.devices.find(account, id);
    if (!device) throw new DeviceNotFound();
    return device;
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
   * Stores the phone that redeemed a pairing code, under the id of the redemption; a repetition changes nothing.
   * @throws DeviceLimitReached, RegistrationsBusy
   */
  async registerPaired(account: AccountScope, id: Types.ObjectId, phone: PairedPhone): Promise<void> {
    await this.registration.registerPaired(account, id, phone);
  }

  /**
   * Stores what a paired phone reports of itself.
   * @param exportRequest for its next stream.
   * @throws DeviceNotFound, RegistrationsBusy
   */
  async updateReported(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: DeviceAttributes,
    exportRequest?: ExportRequest,
  ): Promise<void> {
    await this.registration.updateReported(account, id, attributes, exportRequest);
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

  /** @throws DeviceNotFound */
  async setDefault(account: AccountScope, id: Types.ObjectId): Promise<DeviceView> {
    await this.registration.setDefault(account, id);
    return this.get(account, id);
  }

  /**
   * Deletes a device and revokes its phone keys. Its messages disappear from lists, and its pending messages fail, unless it is
   * replaced by another one.
   * @throws DeviceNotFound
   */
  remove(account: AccountScope, id: Types.ObjectId, options: RemovalOptions = {}): Promise<void> {
    return this.removal.remove(account, id, options);
  }

  private async viewsOf(account: AccountScope, devices: readonly Device[]): Promise<DeviceView[]> {
    const ids = devices.map(({ _id }) => _id);
    const [totals, defaultDevice, facts] = await Promise.all([
      this.totals.ofDevices(account, ids),
      this.accounts.defaultDeviceOf(account),
      this.facts.of(account, devices, { sims: 'notable' }),
    ]);
    return facts.map((phone) => ({
      device: phone.device,
      totals: totals.get(phone.device._id.toHexString()) ?? { sent: 0, received: 0 },
      isDefault: phone.device._id.equals(defaultDevice ?? ''),
      connection: phone.connection,
      pushError: phone.pushError,
      health: healthOf(problemsOfPhone(phone)),
    }));
  }
}
