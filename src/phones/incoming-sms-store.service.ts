import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { BillingService } from '../billing/billing.service';
import { MessageChanges } from '../messages/changes/message-changes.service';
import { MessagesRepository, type ReceivedMessage } from '../messages/messages.repository';
import { OutboxQueue } from '../messages/outbox/outbox.queue';

/** Stores incoming messages with their events, and counts each for the plan at most once. */
@Injectable()
export class IncomingSmsStore {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
  ) {}

  /** @returns the id of the stored message, and whether this call stored it. */
  async insert(
    account: AccountScope,
    message: ReceivedMessage,
    now: Date,
  ): Promise<{ isNew: boolean; id: Types.ObjectId }> {
    const result = await this.messages.insertReceived(account, message);
    if (!result.isNew) return result;
    this.outbox.notify();
    this.changes.recordReceived(account, result.id);
    await this.billing.countReceived(account, now);
    return result;
  }
}
