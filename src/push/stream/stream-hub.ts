import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type Redis from 'ioredis';
import { BackgroundRedis } from '../../common/redis/background-redis';
import { DISCONNECT_LIMIT_MS } from '../../common/redis/disconnect-limit';
import { withinLimit } from '../../common/redis/within-limit';
import { RedisConfig } from '../../config/redis.config';
import type { PushCommand } from '../push-transport';
import { DeviceStream } from './device-stream';
import { streamChannel } from './stream-channel';
import { failureLine } from '../../common/failure-line';

/** The streams this process holds, fed from Redis by whichever process pushes. */
@Injectable()
export class StreamHub implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamHub.name);
  private readonly streams = new Map<string, DeviceStream>();
  private subscriber?: Redis;
  private shuttingDown = false;

  constructor(private readonly config: RedisConfig) {}

  /** Takes a stream in. A phone that connects again replaces its own, which is likely half-open. */
  async add(stream: DeviceStream): Promise<void> {
    if (this.shuttingDown) {
      stream.close();
      return;
    }
    const channel = streamChannel(this.config, stream.deviceId);
    this.streams.get(channel)?.close();
    this.streams.set(channel, stream);
    stream.onClose(() => {
      if (this.streams.get(channel) !== stream) return;
      this.streams.delete(channel);
      this.subscribe().unsubscribe(channel).catch(ignoreOutage);
    });
    // Without Redis the stream still serves: the phone is offered its messages every minute.
    await withinLimit(this.subscribe().subscribe(channel));
  }

  open(): DeviceStream[] {
    return [...this.streams.values()];
  }

  beforeApplicationShutdown(): void {
    this.shuttingDown = true;
    for (const stream of this.open()) stream.close();
    this.subscriber?.disconnect();
  }

  private subscribe(): Redis {
    if (this.subscriber) return this.subscriber;
    const subscriber = new BackgroundRedis(this.config.url, {
      maxRetriesPerRequest: null,
      disconnectTimeout: DISCONNECT_LIMIT_MS,
    });
    subscriber.on('error', ignoreOutage);
    subscriber.on('message', (channel: string, text: string) => {
      this.deliver(channel, text);
    });
    this.subscriber = subscriber;
    return subscriber;
  }

  private deliver(channel: string, text: string): void {
    const stream = this.streams.get(channel);
    if (!stream) return;
    try {
      for (const command of JSON.parse(text) as PushCommand[]) stream.send(command);
    } catch (failure) {
      this.logger.error(`A push on ${channel} could not be read: ${failureLine(failure)}`);
    }
  }
}

/** The outage itself is logged once, by the connection for plain commands. */
function ignoreOutage(): void {
  // Nothing to do: ioredis reconnects and subscribes again by itself.
}
