import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { SimAdmission } from '../devices/sims/sim-admission.service';
import type { OutgoingMessage } from '../messages/message.schema';
import {
  MessageRedeliveryRepository,
  type RedeliveryWindow,
} from '../messages/message-redelivery.repository';
import { partsOf } from '../messages/text/segments';

export interface RedeliveryPage {
  readonly window: RedeliveryWindow;
  readonly limit: number;
  /** Messages of earlier pages. */
  readonly except?: readonly Types.ObjectId[];
  /** Whether the phone probably does not have them: they then draw from the pace of their SIMs. */
  readonly countsForPace: boolean;
}

/** Reads what a phone is handed again because it has not acknowledged it. */
@Injectable()
export class MessageRedeliveryService {
  constructor(
    private readonly redeliveries: MessageRedeliveryRepository,
    private readonly sims: SimAdmission,
  ) {}

  /** Lists messages that the phone has neither acknowledged nor reported, oldest first. */
  async listMessages(
    account: AccountScope,
    device: Types.ObjectId,
    { window, limit, except, countsForPace }: RedeliveryPage,
  ): Promise<OutgoingMessage[]> {
    const messages = await this.redeliveries.listRedeliverable(account, device, window, limit, except);
    if (countsForPace) await this.countForPace(account, device, messages);
    return messages;
  }

  /** Draws messages that a phone was handed again from the pace of their SIMs. */
  async countForPace(
    account: AccountScope,
    device: Types.ObjectId,
    messages: readonly OutgoingMessage[],
  ): Promise<void> {
    await this.sims.recordRedelivered(
      account,
      device,
      messages.map((message) => ({ parts: partsOf(message), ...(message.sim && { sim: message.sim }) })),
    );
  }
}
