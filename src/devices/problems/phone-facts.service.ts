import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { idsOf } from '../../common/documents';
import { PushConfig } from '../../config/sections/push.config';
import { connectionOf } from '../connection/connection';
import type { Device } from '../store/device.schema';
import { pushErrorOf } from '../store/push-error';
import { SimsService } from '../sims/sims.service';
import type { PhoneFacts } from './phone-facts';

/** Reads what the problems of phones are derived from. */
@Injectable()
export class PhoneFactsReader {
  constructor(
    private readonly sims: SimsService,
    private readonly pushConfig: PushConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * The facts of these devices of the account, in their order. Takes at most two queries.
   * @param sims `notable`: only those that can be the cause of a problem.
   */
  async of(
    account: AccountScope,
    devices: readonly Device[],
    { sims: which }: { readonly sims: 'all' | 'notable' } = { sims: 'all' },
  ): Promise<PhoneFacts[]> {
    const sims = await this.sims.listPresent(account, idsOf(devices), which);
    const now = this.clock.now();
    const isFcmConfigured = this.pushConfig.serviceAccount !== undefined;
    return devices.map((device) => ({
      now,
      device,
      connection: connectionOf(device, now),
      pushError: pushErrorOf(device, isFcmConfigured),
      sims: sims.get(device._id.toHexString()) ?? [],
    }));
  }
}
