import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { HeartbeatAttributes } from '../devices/store/device-attributes';
import { DeviceHeartbeatService } from '../devices/device-heartbeat.service';
import { Device } from '../devices/store/device.schema';
import { capabilitiesOf } from '../devices/store/phone-capabilities';
import { DevicesService } from '../devices/devices.service';
import { OutgoingMessage } from '../messages/message.schema';
import { MessageRedeliveryRepository } from '../messages/message-redelivery.repository';
import { MAX_UNACKNOWLEDGED_MESSAGES, redeliveryWindow } from '../gateway/dispatch/redelivery-window';
import { RedeliveryPace } from './redelivery-pace.service';
import { distinctIds } from '../common/documents';

export interface HeartbeatResult {
  readonly device: Device;
  readonly fcmTokenUpdated: boolean;
  /** Messages that `listRedeliverable` would list now, were they not limited; 0 while the phone is disabled. */
  readonly pendingCount: number;
}

@Injectable()
export class PhoneService {
  constructor(
    private readonly devices: DevicesService,
    private readonly heartbeats: DeviceHeartbeatService,
    private readonly redeliveries: MessageRedeliveryRepository,
    private readonly pace: RedeliveryPace,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound, RegistrationsBusy */
  async heartbeat(
    account: AccountScope,
    id: Types.ObjectId,
    facts: HeartbeatAttributes,
  ): Promise<HeartbeatResult> {
    const { device, fcmTokenUpdated } = await this.heartbeats.record(account, id, facts);
    const window = redeliveryWindow(capabilitiesOf(device), this.clock.now());
    const pendingCount = device.enabled ? await this.redeliveries.countRedeliverable(account, id, window) : 0;
    return { device, fcmTokenUpdated, pendingCount };
  }

  /**
   * Messages that are redelivered to the phone now, oldest first, at most 25; none while it is disabled.
   * @throws DeviceNotFound
   */
  async listRedeliverable(account: AccountScope, id: Types.ObjectId): Promise<OutgoingMessage[]> {
    const device = await this.devices.getStored(account, id);
    if (!device.enabled) return [];
    const window = redeliveryWindow(capabilitiesOf(device), this.clock.now());
    const messages = await this.redeliveries.listRedeliverable(
      account,
      id,
      window,
      MAX_UNACKNOWLEDGED_MESSAGES,
    );
    await this.pace.count(account, id, messages);
    return messages;
  }

  /**
   * Ends the redelivery of messages.
   * @returns how many of the ids are messages of this device.
   * @throws DeviceNotFound
   */
  async acknowledge(
    account: AccountScope,
    id: Types.ObjectId,
    smsIds: readonly Types.ObjectId[],
  ): Promise<number> {
    const [acknowledged] = await Promise.all([
      this.redeliveries.acknowledge(account, id, distinctIds(smsIds), this.clock.now()),
      this.devices.getStored(account, id),
    ]);
    return acknowledged;
  }
}
