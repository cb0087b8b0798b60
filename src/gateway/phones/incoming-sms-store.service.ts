import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { BillingService } from '../../billing/billing.service';
import { DevicesRepository } from '../../devices/devices.repository';
import { MessageMetrics } from '../../messages/message.metrics';
import type { Message } from '../../messages/message.schema';
import { MessagesRepository } from '../../messages/messages.repository';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';

/** An incoming message with the fingerprint that recognises repeated uploads. */
export type ReceivedMessage = Message & { readonly fingerprint: string };

@Injectable()
export class IncomingSmsStore {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly devices: DevicesRepository,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
  ) {}

  async insert(
    account: AccountScope,
    message: ReceivedMessage,
    now: Date,
  ): Promise<{ stored: boolean; id: Types.ObjectId }> {
    const result = await this.messages.insertReceived(account, message);
    if (!result.stored) return result;
    this.outbox.notify();
    this.metrics.count('received');
    await Promise.all([
      this.devices.incrementCounter(account, message.device, 'receivedSMSCount', 1),
      this.billing.countReceived(account, now),
    ]);
    return result;
  }
}
