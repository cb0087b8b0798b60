import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type Redis from 'ioredis';
import type { Types } from 'mongoose';
import { AccessChanges } from '../../common/redis/access-changes';
import { BackgroundRedis } from '../../common/redis/background-redis';
import { DISCONNECT_LIMIT_MS } from '../../common/redis/disconnect-limit';
import { withinLimit } from '../../common/redis/within-limit';
import { RedisConfig } from '../../config/redis.config';
import type { PushCommand } from '../push-transport';
import { DeviceStream } from './device-stream';
import { streamChannel } from './stream-channel';
import { failureLine } from '../../common/failure-line';

/** Whether a stream may be fed now, gets nothing for the time being, or is to be closed. */
export type StreamGate = 'open' | 'paused' | 'ended';

/** Decides over the streams of the hub; the push module knows neither keys nor devices. */
export interface StreamGuard {
  gateOf(stream: DeviceStream): Promise<StreamGate>;
  /** Something may have changed about these streams of one account. */
  onAccessChange(streams: readonly DeviceStream[]): Promise<void>;
}

/** The streams this process holds, fed from Redis by whichever process pushes. */
@Injectable()
export class StreamHub implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamHub.name);
  private readonly streams = new Map<string, DeviceStream>();
  private subscriber?: Redis;
  private guard?: StreamGuard;
  private shuttingDown = false;

  constructor(
    private readonly config: RedisConfig,
    private readonly accessChanges: AccessChanges,
  ) {}

  /** To be called once, before the first stream. Without a guard nothing is handed over. */
  guardWith(guard: StreamGuard): void {
    this.guard = guard;
  }

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
    await withinLimit(this.subscribe().subscribe(channel, this.accessChanges.channel));
  }

  /** Hands commands over if the stream may be fed at this moment, and closes it if it is to end. Never throws. */
  async feed(stream: DeviceStream, commands: () => Promise<readonly PushCommand[]>): Promise<void> {
    try {
      // What is not handed over here is offered again from the database.
      const loaded = await commands();
      const gate = await this.guard?.gateOf(stream);
      if (gate === 'ended') stream.close();
      if (gate === 'open') for (const command of loaded) stream.send(command);
    } catch (failure) {
      this.logger.error(
        `Nothing was handed to device ${stream.deviceId.toHexString()}: ${failureLine(failure)}`,
      );
    }
  }

  open(): DeviceStream[] {
    return [...this.streams.values()];
  }

  /** Open streams of the account, without the one this device may have: it is replaced. */
  countOfOthers(user: Types.ObjectId, device: Types.ObjectId): number {
    return this.open().filter(
      ({ account, deviceId }) => account.user.equals(user) && !deviceId.equals(device),
    ).length;
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
      if (channel === this.accessChanges.channel) this.onAccessChange(text);
      else this.deliver(channel, text);
    });
    this.subscriber = subscriber;
    return subscriber;
  }

  private deliver(channel: string, text: string): void {
    const stream = this.streams.get(channel);
    if (stream) void this.feed(stream, async () => Promise.resolve(JSON.parse(text) as PushCommand[]));
  }

  private onAccessChange(user: string): void {
    const streams = this.open().filter(({ account }) => account.user.toHexString() === user);
    if (streams.length === 0) return;
    this.guard?.onAccessChange(streams).catch((failure: unknown) => {
      this.logger.error(`A change of access waits for the next check: ${failureLine(failure)}`);
    });
  }
}

/** The outage itself is logged once, by the connection for plain commands. */
function ignoreOutage(): void {
  // Nothing to do: ioredis reconnects and subscribes again by itself.
}
