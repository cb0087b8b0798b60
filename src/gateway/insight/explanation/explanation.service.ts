import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { Clock } from '../../../common/clock';
import { DeliveryHistoryService } from '../../../webhooks/history/delivery-history.service';
import { explain } from './explain';
import { MessageFactsReader } from './message-facts.service';
import type { Step } from './steps';

/** Explains what became of messages, from what is stored about them. */
@Injectable()
export class ExplanationService {
  constructor(
    private readonly facts: MessageFactsReader,
    private readonly deliveries: DeliveryHistoryService,
    private readonly clock: Clock,
  ) {}

  /**
   * What happened to a message, in order, and what it waits for now.
   * @throws MessageNotFound if the account has no such message, or has deleted it.
   */
  async explain(account: AccountScope, id: Types.ObjectId): Promise<Step[]> {
    const [facts, deliveries] = await Promise.all([
      this.facts.read(account, id),
      this.deliveries.listOfMessage(account, id),
    ]);
    return explain({ ...facts, ...deliveries, now: this.clock.now() });
  }
}
