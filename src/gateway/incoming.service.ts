import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { DeviceNotFound } from '../devices/devices.errors';
import { DevicesRepository } from '../devices/devices.repository';
import { raisedKey } from '../messages/message-event';
import { MessagesRepository } from '../messages/messages.repository';

/** An SMS as a phone uploads it. */
export interface IncomingSms {
  readonly sender?: string;
  readonly message?: string;
  readonly receivedAt?: Date;
  /** Identifies the upload; made from the other fields when the phone sends none. */
  readonly fingerprint?: string;
}

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
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an incoming message with its event, once however often it is uploaded. What can never be accepted is
   * ignored with a reason and not refused: a phone repeats a refused upload for ever.
   * @throws DeviceNotFound
   */
  async receive(account: AccountScope, deviceId: Types.ObjectId, sms: IncomingSms): Promise<Reception> {
    const now = this.clock.now();
    const [device, overLimit] = await Promise.all([
      this.devices.find(account, deviceId),
      this.isOverLimit(account, now),
    ]);
    if (!device) throw new DeviceNotFound();
    const { sender, message } = sms;
    if (!sender) return { ignored: true, reason: 'The message has no sender' };
    if (!message) return { ignored: true, reason: 'The message has no text' };
    if (!device.enabled) return { ignored: true, reason: 'The device is disabled' };
    if (!device.receiveSMSEnabled)
      return { ignored: true, reason: 'Receiving is switched off on the device' };
    const receivedAt = sms.receivedAt ?? now;
    const { stored, id } = await this.messages.insertReceived(account, {
      _id: new Types.ObjectId(),
      user: account.user,
      device: deviceId,
      direction: 'received',
      status: 'received',
      message,
      sender,
      receivedAt,
      ...(overLimit && { overLimit }),
      fingerprint: sms.fingerprint ?? fingerprintOf(sender, message, receivedAt),
      raised: [raisedKey('MESSAGE_RECEIVED')],
      outbox: [{ event: 'MESSAGE_RECEIVED', at: now }],
      outboxSince: now,
      createdAt: now,
      updatedAt: now,
    });
    if (stored) {
      await Promise.all([
        this.devices.count(account, deviceId, 'receivedSMSCount', 1),
        this.billing.countReceived(account, now),
      ]);
    }
    return { ignored: false, id };
  }

  private async isOverLimit(account: AccountScope, now: Date): Promise<boolean> {
    const owner = await this.accounts.findSender(account);
    return this.billing.isOverLimit(account, owner?.plan, now);
  }
}

/** As the phones make it. */
function fingerprintOf(sender: string, message: string, receivedAt: Date): string {
  return createHash('md5').update(`${sender}|${message}|${receivedAt.getTime()}`).digest('hex');
}
