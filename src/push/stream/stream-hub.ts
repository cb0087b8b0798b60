import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type Redis from 'ioredis';
import type { Types } from 'mongoose';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { ResilientRedis } from '../../infrastructure/patches/ioredis-unhandled-rejections';
import { DISCONNECT_TIMEOUT_MS } from '../../infrastructure/redis/redis-connection';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { RedisConfig } from '../../config/sections/redis.config';
import type { PushCommand } from '../push-transport';
import { DeviceStream } from './device-stream';
import { streamChannel } from './stream-channel';
import { formatError } from '../../common/format-error';

/** `open`: may get commands. `paused`: stays connected without commands. `ended`: must be closed. */
export type StreamState = 'open' | 'paused' | 'ended';

/** Decides on access to streams; implemented by the gateway, because the push module knows neither keys nor devices. */
export interface StreamAccessPolicy {
  stateOf(stream: DeviceStream): Promise<StreamState>;
  /** Called with the streams of an account whose access may have changed. */
  onAccessChange(streams: readonly DeviceStream[]): Promise<void>;
}

/** The open streams of this process. Commands from all processes arrive over Redis. */
@Injectable()
export class StreamHub implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamHub.name);
  private readonly streams = new Map<string, DeviceStream>();
  private subscriber?: Redis;
  private policy?: StreamAccessPolicy;
  private shuttingDown = false;

  constructor(
    private readonly config: RedisConfig,
    private readonly accessChanges: AccessChanges,
  ) {}

  /** Must be called before the first stream is added: without a policy no command is delivered. */
  setAccessPolicy(policy: StreamAccessPolicy): void {
    this.policy = policy;
  }

  /** Adds a stream, unless it is closed already, and closes the device's previous one, which is likely half-open. */
  async add(stream: DeviceStream): Promise<void> {
    if (this.shuttingDown) stream.close();
    if (!stream.isOpen) return;
    const channel = streamChannel(this.config, stream.deviceId);
    this.streams.get(channel)?.close();
    this.streams.set(channel, stream);
    stream.onClose(() => {
      if (this.streams.get(channel) !== stream) return;
      this.streams.delete(channel);
      this.connect().unsubscribe(channel).catch(ignoreOutage);
    });
    // Without Redis the stream still works: messages are redelivered to it every minute.
    await tryWithTimeout(this.connect().subscribe(channel, this.accessChanges.channel));
  }

  /**
   * Sends commands if the stream may get them, and closes it if its access has ended. Never throws.
   * @returns whether they were sent.
   */
  async deliver(stream: DeviceStream, commands: () => Promise<readonly PushCommand[]>): Promise<boolean> {
    try {
      const loaded = await commands();
      // Checked last, right before sending; what is not sent here is redelivered from the database.
      const state = await this.policy?.stateOf(stream);
      if (state === 'ended') stream.close();
      if (state === 'open') for (const command of loaded) stream.send(command);
      return state === 'open' && stream.isOpen;
    } catch (failure) {
      this.logger.error(
        `Commands for device ${stream.deviceId.toHexString()} were not sent; messages and cancel requests are redelivered: ${formatError(failure)}`,
      );
      return false;
    }
  }

  listOpen(): DeviceStream[] {
    return [...this.streams.values()];
  }

  /** Counts the account's open streams, except the one of this device, which a new stream replaces. */
  countForOtherDevices(user: Types.ObjectId, device: Types.ObjectId): number {
    return this.listOpen().filter(
      ({ account, deviceId }) => account.user.equals(user) && !deviceId.equals(device),
    ).length;
  }

  beforeApplicationShutdown(): void {
    this.shuttingDown = true;
    for (const stream of this.listOpen()) stream.close();
    this.subscriber?.disconnect();
  }

  private connect(): Redis {
    if (this.subscriber) return this.subscriber;
    const subscriber = new ResilientRedis(this.config.url, {
      maxRetriesPerRequest: null,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    });
    subscriber.on('error', ignoreOutage);
    subscriber.on('message', (channel: string, text: string) => {
      if (channel === this.accessChanges.channel) this.onAccessChange(text);
      else this.onCommands(channel, text);
    });
    this.subscriber = subscriber;
    return subscriber;
  }

  private onCommands(channel: string, text: string): void {
    const stream = this.streams.get(channel);
    if (stream) void this.deliver(stream, async () => Promise.resolve(JSON.parse(text) as PushCommand[]));
  }

  private onAccessChange(user: string): void {
    const streams = this.listOpen().filter(({ account }) => account.user.toHexString() === user);
    if (streams.length === 0) return;
    this.policy?.onAccessChange(streams).catch((failure: unknown) => {
      this.logger.error(
        `The streams of account ${user} were not checked after an access change; the next check is within 15 s: ${formatError(failure)}`,
      );
    });
  }
}

/** ioredis reconnects and resubscribes; the outage is logged by the main Redis connection. */
const ignoreOutage = (): void => undefined;
