import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { distinctIds } from '../common/documents';
import type { Device } from '../devices/store/device.schema';
import { DevicesService } from '../devices/devices.service';
import { capabilitiesOf } from '../devices/store/phone-capabilities';
import { FetchDispatcher } from '../gateway/dispatch/fetch-dispatcher.service';
import { MessageTaker } from '../gateway/dispatch/message-taker.service';
import { REDELIVERY_WINDOW_MS, redeliveryWindow } from '../gateway/dispatch/redelivery-window';
import { pushTargetOf } from '../gateway/push-commands/push-target';
import { WaitingMessagesRepository } from '../gateway/routing/waiting-messages.repository';
import type { OutgoingMessage } from '../messages/message.schema';
import { MessageRedeliveryRepository } from '../messages/message-redelivery.repository';
import { PushClient } from '../push/push-client.service';
import type { MessageOffer } from '../push/transport/push-transport';

/** Hands messages to phones that fetch them: the fetch is the dispatch. */
@Injectable()
export class PhoneFetchService {
  constructor(
    private readonly devices: DevicesService,
    private readonly dispatcher: FetchDispatcher,
    private readonly taker: MessageTaker,
    private readonly redeliveries: MessageRedeliveryRepository,
    private readonly waiting: WaitingMessagesRepository,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Hands over what waits for the phone and may leave.
   * @returns what the phone has not acknowledged, oldest first; nothing while it is disabled.
   * @throws DeviceNotFound
   */
  async fetch(account: AccountScope, id: Types.ObjectId, limit: number): Promise<OutgoingMessage[]> {
    const device = await this.devices.getStored(account, id);
    if (!device.enabled) return [];
    const listed = await this.list(account, device, limit);
    const take = async (offer: MessageOffer) => {
      const taken = await this.taker.take(account, pushTargetOf(device), offer);
      return taken.size === offer.ids.length;
    };
    const room = limit - listed.length;
    const isAnyDispatched = room > 0 && (await this.dispatcher.dispatch(device, room, take));
    return isAnyDispatched ? this.list(account, device, limit) : listed;
  }

  /**
   * Records that the phone has messages. Those that it does not report on are listed again, because its reports may be lost.
   * Tells it to fetch again if more wait than its last list could contain.
   * @throws DeviceNotFound
   */
  async acknowledge(
    account: AccountScope,
    id: Types.ObjectId,
    smsIds: readonly Types.ObjectId[],
  ): Promise<void> {
    const device = await this.devices.getStored(account, id);
    const now = this.clock.now();
    const { relistAfterMs } = capabilitiesOf(device);
    const again =
      relistAfterMs === undefined
        ? undefined
        : new Date(now.getTime() + relistAfterMs + REDELIVERY_WINDOW_MS);
    const [, waiting] = await Promise.all([
      this.redeliveries.acknowledge(account, id, distinctIds(smsIds), now, again),
      this.waiting.countWaitingForPhone(device, 1),
    ]);
    if (waiting === 0) return;
    await this.pushClient.push(pushTargetOf(device), [{ kind: 'fetch' }]);
  }

  private list(account: AccountScope, device: Device, limit: number): Promise<OutgoingMessage[]> {
    const window = redeliveryWindow(capabilitiesOf(device), this.clock.now());
    return this.redeliveries.listRedeliverable(account, device._id, window, limit);
  }
}
