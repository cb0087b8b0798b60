import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { REDIS } from '../../infrastructure/redis/redis-connection';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { RedisConfig } from '../../config/sections/redis.config';
import type {
  OfferResult,
  PushCommand,
  PushResult,
  PushTarget,
  PushTransport,
  StreamOffer,
} from '../push-transport';
import { offerSignal, streamChannel, type StreamSignal } from './stream-channel';
import { StreamHub } from './stream-hub';

/** Reaches the streams of phones, in this process directly, in others over Redis. */
@Injectable()
export class StreamTransport implements PushTransport {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    private readonly config: RedisConfig,
    private readonly hub: StreamHub,
  ) {}

  fits(): boolean {
    return true;
  }

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    await this.publish(target, { commands });
    return commands.map(() => ({ outcome: 'accepted' }));
  }

  readonly offer = async (target: PushTarget, offer: StreamOffer): Promise<OfferResult> => {
    if (await this.hub.offer(target.deviceId, offer)) return 'taken';
    return (await this.publish(target, offerSignal(offer))) ? 'published' : 'lost';
  };

  /** @returns whether Redis has confirmed it. */
  private async publish({ deviceId }: PushTarget, signal: StreamSignal): Promise<boolean> {
    // Bypasses the circuit breaker, which drops commands while Redis is unresponsive: published ones arrive once it responds.
    const receivers = await tryWithTimeout(
      this.redis.publish(streamChannel(this.config, deviceId), JSON.stringify(signal)),
    );
    return receivers !== undefined;
  }
}
