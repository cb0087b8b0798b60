import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { type RateLimiter, RateLimiterFactory } from '../infrastructure/redis/rate-limiter';
import { LimitsConfig } from '../config/sections/limits.config';
import { ReceiveLimitReached } from './phone.errors';

const WINDOW_S = 24 * 3_600;

/** Limits the received messages stored per phone in 24 hours, so that a faulty app cannot fill the disk. */
@Injectable()
export class ReceiveLimitService {
  private readonly ofPhones: RateLimiter;

  constructor(
    private readonly config: LimitsConfig,
    limits: RateLimiterFactory,
  ) {
    const max = config.maxReceivedMessagesPerPhoneDay;
    this.ofPhones = limits.create({ scope: 'received:phone', max, windowS: WINDOW_S });
  }

  /**
   * Counts a message before it is stored.
   * @returns a function that undoes the count, for a duplicate.
   * @throws ReceiveLimitReached; the phone then keeps the message and uploads it again.
   */
  async count({ user }: AccountScope, device: Types.ObjectId): Promise<() => Promise<void>> {
    const { maxReceivedMessagesPerPhoneDay: max } = this.config;
    if (max === 0) return () => Promise.resolve();
    const phone = `${user.toHexString()} ${device.toHexString()}`;
    const { isExceeded, msLeft } = await this.ofPhones.consume(phone);
    if (isExceeded) throw new ReceiveLimitReached(max, msLeft);
    return () => this.ofPhones.refund(phone);
  }
}
