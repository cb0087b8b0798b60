import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import type { Types } from 'mongoose';
import { REDIS } from '../../infrastructure/redis/redis-connection';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { RedisConfig } from '../../config/sections/redis.config';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../push-transport';

/** The Redis channel that carries a device's commands to the process that holds its stream. */
export const streamChannel = ({ prefix }: RedisConfig, deviceId: Types.ObjectId): string =>
  `${prefix}:stream:${deviceId.toHexString()}`;

/**
 * Pushes over the streams of phones. Accepts every command, whether or not the phone is connected: what the phone does not
 * acknowledge is redelivered from the database.
 */
@Injectable()
export class StreamTransport implements PushTransport {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly config: RedisConfig,
  ) {}

  fits(): boolean {
    return true;
  }

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    // Published even if Redis is unresponsive, so that it arrives once Redis responds; otherwise redelivery brings it.
    await tryWithTimeout(
      this.redis.publish(streamChannel(this.config, target.deviceId), JSON.stringify(commands)),
    );
    return commands.map(() => ({ outcome: 'accepted' }));
  }
}
