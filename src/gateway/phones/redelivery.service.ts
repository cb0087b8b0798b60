import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { Device } from '../../devices/device.schema';
import { SimAdmission } from '../../devices/sims/sim-admission.service';
import type { OutgoingMessage } from '../../messages/message.schema';
import { MessagesRepository, type RedeliveryWindow } from '../../messages/messages.repository';
import { partsOf } from '../../messages/text/segments';
import { redeliveryWindow } from '../dispatch/redelivery-window';

export interface RedeliveryPage {
  /** Default: what is redelivered now. */
  readonly window?: RedeliveryWindow;
  readonly limit: number;
  /** Messages of earlier pages. */
  readonly except?: readonly Types.ObjectId[];
  /** Whether the phone probably does not have them: they then draw from the pace of their SIMs. */
  readonly isConnecting: boolean;
}

/** Reads what a phone is handed again because it has not acknowledged it. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly sims: SimAdmission,
    private readonly clock: Clock,
  ) {}

  /** Lists messages that the phone has neither acknowledged nor reported, oldest first. */
  async listMessages(
    account: AccountScope,
    { _id: id, pushTransport }: Pick<Device, '_id' | 'pushTransport'>,
    {
      window = redeliveryWindow(pushTransport, this.clock.now()),
      limit,
      except,
      isConnecting,
    }: RedeliveryPage,
  ): Promise<OutgoingMessage[]> {
    const messages = await this.messages.listRedeliverable(id, window, limit, except);
    if (isConnecting)
      await this.sims.recordRedelivered(
        account,
        id,
        messages.map((message) => ({ parts: partsOf(message), ...(message.sim && { sim: message.sim }) })),
      );
    return messages;
  }
}
