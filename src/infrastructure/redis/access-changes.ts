import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { RedisConfig } from '../../config/sections/redis.config';
import { RedisPublisher } from './redis-publisher';

/**
 * Notifies all processes that access to an account or to one of its devices may have changed, for example that a key was
 * revoked. A notification may be lost: listeners check the database, and poll it too.
 */
@Injectable()
export class AccessChanges {
  /** The Redis channel; a message is an account id in hexadecimal. */
  readonly channel: string;

  constructor(
    config: RedisConfig,
    private readonly publisher: RedisPublisher,
  ) {
    this.channel = `${config.prefix}:access-changes`;
  }

  /** Call it after the change is stored. Takes at most a second and never throws. */
  async publish({ user }: { readonly user: Types.ObjectId }): Promise<void> {
    await this.publisher.publish(this.channel, user.toHexString());
  }
}
