import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { REDIS } from '../../common/redis/redis-connection';
import { withinLimit } from '../../common/redis/within-limit';
import { RedisConfig } from '../../config/redis.config';
import type { PushCommand, PushResult, PushTarget, PushTransport } from '../push-transport';
import { streamChannel } from './stream-channel';

/**
 * Pushes over the streams that phones hold. It is its own push service: it accepts a command whether or not the
 * phone is there, because what the phone does not acknowledge is offered again from the database.
 */
@Injectable()
export class StreamTransport implements PushTransport {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly config: RedisConfig,
  ) {}

  canReach(): boolean {
    return true;
  }

  fits(): boolean {
    return true;
  }

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    // Where Redis is silent it is said all the same, so that the phone has it as soon as that is over; where it is away
    // (which is logged where it is connected), the next offer brings the command.
    await withinLimit(
      this.redis.publish(streamChannel(this.config, target.deviceId), JSON.stringify(commands)),
    );
    return commands.map(() => ({ outcome: 'accepted' }));
  }
}
