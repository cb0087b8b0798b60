import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { type Drift, driftBy, type Recount } from '../../common/upkeep/recount';
import { RemovalsRepository } from '../../common/upkeep/removals.repository';
import { DeviceTotalsRepository } from '../../devices/device-totals.repository';
import { MessageCountsRepository } from '../../messages/message-counts.repository';
import { MESSAGE_REMOVAL } from '../../messages/message.schema';

/** What each device has sent and received, deleted devices included: their totals still count for the account. */
@Injectable()
export class DeviceTotalsRecount implements Recount {
  readonly name = 'device-totals';

  constructor(
    private readonly totals: DeviceTotalsRepository,
    private readonly messages: MessageCountsRepository,
    private readonly removals: RemovalsRepository,
  ) {}

  listAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    return this.totals.listIdsAfter(after, limit);
  }

  async look(id: Types.ObjectId): Promise<'right' | 'unclear' | Drift> {
    const device = await this.totals.find(id);
    if (!device) return 'right';
    // A removal that begins after this moves what the totals stand on, and then nothing is mended.
    if (await this.removals.isUnderWay(MESSAGE_REMOVAL, device.user)) return 'unclear';
    const sent =
      (device.removed?.sent ?? 0) +
      (await this.messages.countOfDevices(accountScope(device.user), [id], 'sent'));
    const received =
      (device.removed?.received ?? 0) +
      (await this.messages.countOfDevices(accountScope(device.user), [id], 'received'));
    return driftBy({ sent: sent - device.sentSMSCount, received: received - device.receivedSMSCount }, () =>
      this.totals.mend(device, sent, received),
    );
  }
}
