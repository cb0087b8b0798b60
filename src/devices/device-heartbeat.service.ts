import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { heartbeatChanges } from './connection/connection';
import { changesFromHeartbeat, type HeartbeatAttributes } from './store/device-attributes';
import { DeviceWriter } from './registration/device-writer.service';
import type { Device } from './store/device.schema';
import { DeviceNotFound } from './store/devices.errors';
import { DevicesRepository } from './store/devices.repository';

@Injectable()
export class DeviceHeartbeatService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly writer: DeviceWriter,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a heartbeat.
   * @returns the updated device, and whether its push token changed.
   * @throws DeviceNotFound, RegistrationsBusy
   */
  async record(
    account: AccountScope,
    id: Types.ObjectId,
    attributes: HeartbeatAttributes,
  ): Promise<{ device: Device; fcmTokenUpdated: boolean }> {
    const { fcmToken } = attributes;
    const now = this.clock.now();
    const before = await this.devices.find(account, id);
    if (!before) throw new DeviceNotFound();
    const changes = { ...changesFromHeartbeat(attributes, now), ...heartbeatChanges(before, now) };
    const device = await this.writer.update(account, id, changes, fcmToken, now);
    const isNewToken = fcmToken !== undefined && fcmToken !== before.fcmToken;
    return { device, fcmTokenUpdated: isNewToken && device.fcmToken === fcmToken };
  }
}
