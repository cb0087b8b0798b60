import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { RedisConfig } from '../../config/redis.config';
import { OptionalRedis } from './optional-redis';

/**
 * Tells all processes that what opens an account, or one of its devices, may have changed: a key or session was revoked,
 * a device switched off or deleted. It is a hint: listeners check the database, and check it regularly without one.
 */
@Injectable()
export class AccessChanges {
  /** The Redis channel; its messages are the ids of accounts in hexadecimal. */
  readonly channel: string;

  constructor(
    config: RedisConfig,
    private readonly redis: OptionalRedis,
  ) {
    this.channel = `${config.prefix}:access-changes`;
  }

  /** To be called once the change stands in the database. Takes at most a second, and never throws. */
  async announce({ user }: { readonly user: Types.ObjectId }): Promise<void> {
    await this.redis.ask((redis) => redis.publish(this.channel, user.toHexString()));
  }
}
