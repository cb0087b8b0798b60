import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { HeartbeatFacts } from '../devices/device-facts';
import { Device } from '../devices/device.schema';
import { DevicesService } from '../devices/devices.service';
import { Message } from '../messages/message.schema';
import { MessagesRepository } from '../messages/messages.repository';
import { MOST_PENDING, offerWindow } from './offer';

export interface HeartbeatAnswer {
  readonly device: Device;
  readonly fcmTokenUpdated: boolean;
  /** Messages the phone was handed but has neither acknowledged nor reported. */
  readonly pendingCount: number;
}

/** What phones tell of themselves and of what they have. */
@Injectable()
export class PhoneService {
  constructor(
    private readonly devices: DevicesService,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound */
  async heartbeat(
    account: AccountScope,
    id: Types.ObjectId,
    facts: HeartbeatFacts,
  ): Promise<HeartbeatAnswer> {
    const { device, fcmTokenUpdated } = await this.devices.recordHeartbeat(account, id, facts);
    const window = offerWindow(device.pushTransport, this.clock.now());
    const pendingCount = device.enabled ? await this.messages.countOffered(id, window) : 0;
    return { device, fcmTokenUpdated, pendingCount };
  }

  /**
   * The messages the phone was handed but has neither acknowledged nor reported, oldest first; none while it is disabled.
   * @throws DeviceNotFound
   */
  async listPending(account: AccountScope, id: Types.ObjectId): Promise<Message[]> {
    const { device } = await this.devices.get(account, id);
    if (!device.enabled) return [];
    return this.messages.listOffered(id, offerWindow(device.pushTransport, this.clock.now()), MOST_PENDING);
  }

  /** Ends the offering of messages the phone has. @returns how many of them are the device's. */
  async acknowledge(
    account: AccountScope,
    id: Types.ObjectId,
    smsIds: readonly Types.ObjectId[],
  ): Promise<number> {
    await this.devices.get(account, id);
    return this.messages.acknowledge(account, id, smsIds, this.clock.now());
  }
}
