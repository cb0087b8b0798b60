import { Injectable } from '@nestjs/common';
import { RedisPublisher } from '../../infrastructure/redis/redis-publisher';
import { RedisConfig } from '../../config/sections/redis.config';
import type {
  OfferResult,
  PushCommand,
  PushResult,
  PushTarget,
  PushTransport,
  MessageOffer,
} from '../transport/push-transport';
import { offerSignal, streamChannel, type StreamSignal } from './stream-channel';
import { StreamHub } from './stream-hub';

/** Reaches the streams of phones over Redis; offers reach those of this process directly. */
@Injectable()
export class StreamTransport implements PushTransport {
  constructor(
    private readonly publisher: RedisPublisher,
    private readonly config: RedisConfig,
    private readonly hub: StreamHub,
  ) {}

  async push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]> {
    await this.publish(target, { commands });
    return commands.map(() => ({ outcome: 'accepted' }));
  }

  readonly offer = async (target: PushTarget, offer: MessageOffer): Promise<OfferResult> => {
    if (await this.hub.offer(target.deviceId, offer)) return 'taken';
    return (await this.publish(target, offerSignal(offer))) ? 'published' : 'lost';
  };

  /** @returns whether Redis has confirmed it. */
  private publish({ deviceId }: PushTarget, signal: StreamSignal): Promise<boolean> {
    return this.publisher.publishPatiently(streamChannel(this.config, deviceId), JSON.stringify(signal));
  }
}
