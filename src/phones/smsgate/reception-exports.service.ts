import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { HOUR_MS, SECOND_MS } from '../../common/durations';
import { plausibleTime, readPhoneTime } from '../../common/phone-time';
import { RedisConfig } from '../../config/sections/redis.config';
import type { Device } from '../../devices/store/device.schema';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { MessagesRepository } from '../../messages/messages.repository';
import type { IncomingSmsUpload } from '../incoming-sms-upload';

/** For how long texts of an export arrive after the last request for it. */
const EXPORT_MS = 2 * HOUR_MS;

/**
 * Recognises texts that an app uploads again, as it was asked to. Such a text may carry another time than when it was posted live, so one
 * is stored only if posts with more times have come, with it and its sender, than are stored.
 */
@Injectable()
export class ReceptionExports {
  constructor(
    private readonly redis: RedisCircuitBreaker,
    private readonly config: RedisConfig,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** Whether a text of a running export is stored already. */
  async isKnown(
    account: AccountScope,
    { _id: device, exportRequest }: Pick<Device, '_id' | 'exportRequest'>,
    upload: IncomingSmsUpload,
  ): Promise<boolean> {
    const now = this.clock.now();
    const receivedAt = plausibleTime(readPhoneTime(upload.receivedAt), now);
    const { sender, message } = upload;
    if (!exportRequest || !receivedAt || typeof sender !== 'string' || typeof message !== 'string')
      return false;
    const { since, until, begunAt } = exportRequest;
    if (now.getTime() - until.getTime() >= EXPORT_MS || receivedAt < since || receivedAt > until)
      return false;
    const text = createHash('sha256').update(`${sender}\n${message}`).digest('base64url');
    const key = `${this.config.prefix}:smsgate-export:{${device.toHexString()}}:${begunAt.getTime()}:${text}`;
    // By its time, which is the same in each post of an export, also of one that was asked for again.
    const posted = await this.redis.run(key, async (redis) => {
      await redis.sadd(key, receivedAt.getTime());
      await redis.expire(key, EXPORT_MS / SECOND_MS);
      return redis.scard(key);
    });
    if (posted === undefined) return false;
    const stored = await this.messages.countReceivedEqual(account, { device, sender, message, since, until });
    return stored >= posted;
  }
}
