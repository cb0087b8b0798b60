import { Injectable } from '@nestjs/common';
import { OptionalRedis } from '../../common/redis/optional-redis';
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
    private readonly redis: OptionalRedis,
    private readonly config: RedisConfig,
  ) {}

  canReach(): boolean {
    return true;
  }

  fits(): boolean {
    return true;
  }

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    // Where Redis is away (which is logged where it is connected), the next offer brings the command.
    await this.redis.ask((redis) =>
      redis.publish(streamChannel(this.config, target.deviceId), JSON.stringify(commands)),
    );
    return commands.map(() => ({ outcome: 'accepted' }));
  }
}
