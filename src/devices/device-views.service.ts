import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { Clock } from '../common/clock';
import { PushConfig } from '../config/sections/push.config';
import { type MessageTotals, TotalsService } from '../maintenance/rollups/totals.service';
import { type Connection, connectionOf } from './connection/connection';
import type { Device } from './device.schema';
import { type DevicePushError, pushErrorOf } from './push-error';

export interface DeviceView {
  readonly device: Device;
  readonly totals: MessageTotals;
  /** Whether sends without a `deviceId` use this device. */
  readonly isDefault: boolean;
  /** Why it cannot receive pushes; undefined if it can. */
  readonly pushError: DevicePushError | undefined;
  readonly connection: Connection;
}

/** Adds to devices what is not stored with them. */
@Injectable()
export class DeviceViews {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly totals: TotalsService,
    private readonly pushConfig: PushConfig,
    private readonly clock: Clock,
  ) {}

  async of(account: AccountScope, devices: readonly Device[]): Promise<DeviceView[]> {
    const ids = devices.map(({ _id }) => _id);
    const [totals, defaultDevice] = await Promise.all([
      this.totals.ofDevices(account, ids),
      this.accounts.defaultDeviceOf(account),
    ]);
    const now = this.clock.now();
    const isFcmConfigured = this.pushConfig.serviceAccount !== undefined;
    return devices.map((device) => ({
      device,
      totals: totals.get(device._id.toHexString()) ?? { sent: 0, received: 0 },
      isDefault: device._id.equals(defaultDevice ?? ''),
      pushError: pushErrorOf(device, isFcmConfigured),
      connection: connectionOf(device, now),
    }));
  }
}
