import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { SimAdmission } from '../devices/sims/sim-admission.service';
import type { OutgoingMessage } from '../messages/message.schema';
import { partsOf } from '../messages/text/segments';

/** Draws messages that a phone was handed again, because it has not acknowledged them, from the pace of their SIMs. */
@Injectable()
export class RedeliveryPace {
  constructor(private readonly sims: SimAdmission) {}

  async count(
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
