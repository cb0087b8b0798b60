import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { type RateLimit, RateLimits } from '../common/redis/rate-limits';
import { LimitsConfig } from '../config/limits.config';
import { ReceptionLimited } from './phone.errors';

const WINDOW_S = 24 * 3_600;

/** Bounds how many received messages of one phone are stored in 24 hours, so that a runaway app cannot fill the disk. */
@Injectable()
export class ReceptionLimit {
  private readonly ofPhones: RateLimit;

  constructor(
    private readonly config: LimitsConfig,
    limits: RateLimits,
  ) {
    const max = config.maxReceivedMessagesPerPhoneDay;
    this.ofPhones = limits.create({ scope: 'received:phone', max, windowS: WINDOW_S });
  }

  /**
   * Counts a message before it is stored.
   * @returns takes it back, for one that was stored before.
   * @throws ReceptionLimited; the phone then keeps the message and uploads it again.
   */
  async count({ user }: AccountScope, device: Types.ObjectId): Promise<() => Promise<void>> {
    const { maxReceivedMessagesPerPhoneDay: max } = this.config;
    if (max === 0) return () => Promise.resolve();
    const phone = `${user.toHexString()} ${device.toHexString()}`;
    const { isOver, msLeft } = await this.ofPhones.count(phone);
    if (isOver) throw new ReceptionLimited(max, msLeft);
    return () => this.ofPhones.takeBack(phone);
  }
}
