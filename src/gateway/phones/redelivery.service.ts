import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { Device } from '../../devices/device.schema';
import { SimAdmission } from '../../devices/sims/sim-admission.service';
import type { SentMessage } from '../../messages/message.schema';
import { MessagesRepository } from '../../messages/messages.repository';
import { partsOf } from '../../messages/text/segments';
import { redeliveryWindow } from '../dispatch/redelivery-window';

/** Reads what a phone is handed again because it has not acknowledged it. */
@Injectable()
export class RedeliveryService {
  constructor(
    private readonly messages: MessagesRepository,
    private readonly sims: SimAdmission,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists messages that the phone has neither acknowledged nor reported, oldest first.
   * @param isConnecting whether the phone probably does not have them: they then draw from the pace of their SIMs.
   */
  async listMessages(
    account: AccountScope,
    device: Pick<Device, '_id' | 'pushTransport'>,
    limit: number,
    isConnecting: boolean,
  ): Promise<SentMessage[]> {
    const { _id: id, pushTransport } = device;
    const window = redeliveryWindow(pushTransport, this.clock.now());
    const messages = await this.messages.listRedeliverable(id, window, limit);
    if (isConnecting)
      await this.sims.recordRedelivered(
        account,
        id,
        messages.map((message) => ({ parts: partsOf(message), ...(message.sim && { sim: message.sim }) })),
      );
    return messages;
  }

  /** Lists messages with a cancellation request that the phone has not answered, oldest first. */
  listCancelRequested(id: Types.ObjectId, limit: number): Promise<Types.ObjectId[]> {
    return this.messages.listCancelRequested(id, redeliveryWindow('stream', this.clock.now()), limit);
  }
}
