import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupsOf } from '../../common/group-by';
import type { Device } from '../../devices/store/device.schema';
import { isPausedOrRescheduled } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import type { OutgoingMessage } from '../../messages/message.schema';
import { WaitingMessagesRepository } from '../routing/waiting-messages.repository';
import { DispatchPermission } from './dispatch-permission.service';
import { PhoneDispatcher } from './phone-dispatcher.service';
import type { TakeOffer } from './message-offers.service';

/** Dispatches what waits for a phone at the moment when the phone fetches it. */
@Injectable()
export class FetchDispatcher {
  constructor(
    private readonly waiting: WaitingMessagesRepository,
    private readonly batches: BatchesRepository,
    private readonly phoneDispatcher: PhoneDispatcher,
    private readonly permission: DispatchPermission,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives the phone the messages that wait for it and may leave, on the conditions of a wave.
   * @param limit number of messages.
   * @param take called with claimed messages.
   * @returns whether there were any.
   */
  async dispatch(device: Device, limit: number, take: TakeOffer): Promise<boolean> {
    const due = await this.waiting.makeDueForFetch(device, this.clock.now(), limit);
    const groups = groupsOf(due, ({ smsBatch, wave, pool }) => `${smsBatch.toHexString()} ${wave} ${!!pool}`);
    await Promise.all(groups.map((messages) => this.dispatchGroup(device, messages, take)));
    return due.length > 0;
  }

  private async dispatchGroup(
    device: Device,
    messages: readonly [OutgoingMessage, ...OutgoingMessage[]],
    take: TakeOffer,
  ): Promise<void> {
    const [{ user, smsBatch, wave = 0, pool }] = messages;
    const batch = await this.batches.findForDispatch(accountScope(user), smsBatch);
    // They stay due: a worker has them wait for their batch.
    if (batch?.acceptance !== 'accepted' || isPausedOrRescheduled(batch)) return;
    const permitted = await this.permission.permitted(batch, messages);
    if (permitted.length === 0) return;
    const routed = { device, messages: permitted, isChosenByPool: pool !== undefined };
    await this.phoneDispatcher.dispatch(routed, batch, { user, batch: smsBatch, wave }, take);
  }
}
