import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { causingRequest } from '../common/log-ids';
import { DeviceNotFound } from '../devices/devices.errors';
import { DevicesRepository } from '../devices/devices.repository';
import { raisedKey } from '../messages/message-event';
import { MessageMetrics } from '../messages/message.metrics';
import { MessagesRepository } from '../messages/messages.repository';
import { OutboxQueue } from '../messages/outbox.queue';
import { ReceptionLimit } from './reception-limit.service';
import { lateness, readUpload, Upload } from './upload';

export type Reception =
  | { readonly ignored: false; readonly id: Types.ObjectId }
  | { readonly ignored: true; readonly reason: string };

/** Takes in what phones receive. */
@Injectable()
export class IncomingService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly messages: MessagesRepository,
    private readonly accounts: AccountsRepository,
    private readonly billing: BillingService,
    private readonly limit: ReceptionLimit,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an incoming message with its event, once however often it is uploaded. What can never be accepted is
   * ignored with a reason and not refused: a phone repeats a refused upload for ever.
   * @throws DeviceNotFound, ReceptionLimited
   */
  async receive(account: AccountScope, deviceId: Types.ObjectId, upload: Upload): Promise<Reception> {
    const now = this.clock.now();
    const [device, overLimit] = await Promise.all([
      this.devices.find(account, deviceId),
      this.isOverLimit(account, now),
    ]);
    if (!device) throw new DeviceNotFound();
    if (!device.enabled) return { ignored: true, reason: 'The device is disabled' };
    if (!device.receiveSMSEnabled)
      return { ignored: true, reason: 'Receiving is switched off on the device' };
    const sms = readUpload(upload, now);
    if ('reason' in sms) return { ignored: true, ...sms };
    const { raises, ...times } = lateness(sms.receivedAt, now);
    const takeBack = await this.limit.count(account, deviceId);
    const { stored, id } = await this.messages.insertReceived(account, {
      _id: new Types.ObjectId(),
      user: account.user,
      device: deviceId,
      direction: 'received',
      status: 'received',
      ...sms,
      ...(overLimit && { overLimit }),
      raised: raises ? [raisedKey('MESSAGE_RECEIVED')] : [],
      outbox: raises ? [{ event: 'MESSAGE_RECEIVED', at: now, ...causingRequest() }] : [],
      ...(raises && { relayDueAt: now }),
      ...times,
      countedAt: now,
      updatedAt: now,
    });
    if (stored) {
      this.outbox.wake();
      this.metrics.count('received');
      await Promise.all([
        this.devices.count(account, deviceId, 'receivedSMSCount', 1),
        this.billing.countReceived(account, now),
      ]);
    } else {
      await takeBack();
    }
    return { ignored: false, id };
  }

  private async isOverLimit(account: AccountScope, now: Date): Promise<boolean> {
    const owner = await this.accounts.findSender(account);
    return this.billing.isOverLimit(account, owner?.plan, now);
  }
}
