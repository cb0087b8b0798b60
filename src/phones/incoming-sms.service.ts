import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { HOUR_MS } from '../common/durations';
import { peerNumber, dialingCountry } from '../common/peer-number';
import { requestContext } from '../infrastructure/logging/log-ids';
import { DeviceNotFound } from '../devices/store/devices.errors';
import type { Device } from '../devices/store/device.schema';
import { DevicesRepository } from '../devices/store/devices.repository';
import { OptOuts } from '../gateway/suppressions/opt-outs.service';
import type { ReceivedMessage } from '../messages/messages.repository';
import { receivedMessageId } from '../messages/received-message-id';
import { raisedKey } from '../messages/message-event';
import { IncomingSmsStore } from './incoming-sms-store.service';
import { ReceiveLimitService } from './receive-limit.service';
import { resolveTimestamps, parseUpload, IncomingSmsUpload } from './incoming-sms-upload';

export type ReceiveResult =
  | { readonly ignored: false; readonly id: Types.ObjectId }
  | { readonly ignored: true; readonly reason: string };

@Injectable()
export class IncomingSmsService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly billing: BillingService,
    private readonly limit: ReceiveLimitService,
    private readonly store: IncomingSmsStore,
    private readonly optOuts: OptOuts,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores an incoming message and its event; repeated uploads are stored once. An invalid upload is ignored with a
   * reason instead of refused, because a phone retries a refused upload indefinitely. A text such as STOP is obeyed before it is
   * stored, and also if it is not stored, and answered after that.
   * @throws DeviceNotFound, ReceiveLimitReached, BatchChanging
   */
  async receive(
    account: AccountScope,
    deviceId: Types.ObjectId,
    upload: IncomingSmsUpload,
  ): Promise<ReceiveResult> {
    const now = this.clock.now();
    const [device, { owner, overLimit }] = await Promise.all([
      this.devices.find(account, deviceId),
      this.readOwner(account, now),
    ]);
    if (!device) throw new DeviceNotFound();
    const sms = parseUpload(upload, now);
    if ('reason' in sms) return { ignored: true, ...sms };
    const isStored = device.enabled && device.receiveSMSEnabled;
    const number = peerNumber(sms.sender, dialingCountry(owner, device));
    const obeyed = await this.optOuts.obey(account, owner?.consent, {
      ...{ number, text: sms.message, receivedAt: sms.receivedAt, device: deviceId, isStored },
      ...{ fingerprint: sms.fingerprint, simSubscriptionId: sms.simSubscriptionId },
    });
    if (!isStored) {
      await this.recordIgnored(account, device, now);
      await this.optOuts.finish(obeyed);
      return {
        ignored: true,
        reason: device.enabled ? 'Receiving is switched off on the device' : 'The device is disabled',
      };
    }
    const { raisesEvent, ...times } = resolveTimestamps(sms.receivedAt, now);
    const undoCount = await this.limit.count(account, deviceId);
    const message: ReceivedMessage = {
      _id: receivedMessageId(account.user, deviceId, sms.fingerprint),
      user: account.user,
      device: deviceId,
      direction: 'received',
      status: 'received',
      ...sms,
      peerNumber: number,
      conversationDueAt: now,
      ...(overLimit && { overLimit }),
      raised: raisesEvent ? [raisedKey('MESSAGE_RECEIVED')] : [],
      outbox: raisesEvent ? [{ event: 'MESSAGE_RECEIVED', at: now, ...requestContext() }] : [],
      ...(raisesEvent && { relayDueAt: now }),
      ...times,
      updatedAt: now,
    };
    const { isNew, id } = await this.store.insert(account, message, now);
    if (!isNew) await undoCount();
    await this.optOuts.finish(obeyed);
    return { ignored: false, id };
  }

  /** Writes at most once an hour, however many messages arrive. */
  private async recordIgnored(
    account: AccountScope,
    { _id, lastIgnoredSmsAt }: Device,
    now: Date,
  ): Promise<void> {
    const since = new Date(now.getTime() - HOUR_MS);
    if (lastIgnoredSmsAt && lastIgnoredSmsAt > since) return;
    await this.devices.recordIgnoredSms(account, _id, since, now);
  }

  private async readOwner(account: AccountScope, now: Date) {
    const owner = await this.accounts.findSendingAccount(account);
    return { owner, overLimit: await this.billing.isOverLimit(account, owner?.plan, now) };
  }
}
