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

/** Pushes over the streams of phones. Accepts every command, see `PushResult`. */
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
    // Bypasses the circuit breaker, which drops commands while Redis is unresponsive: published ones arrive once it responds.
    await tryWithTimeout(
      this.redis.publish(streamChannel(this.config, target.deviceId), JSON.stringify(commands)),
    );
    return commands.map(() => ({ outcome: 'accepted' }));
  }
}
