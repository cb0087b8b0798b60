import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { RedisSubscriber } from '../../infrastructure/redis/redis-subscriber';
import { RedisConfig } from '../../config/sections/redis.config';
import type { PushCommand } from '../push-transport';
import { DeviceStream } from './device-stream';
import { streamChannel } from './stream-transport';
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
  private policy?: StreamAccessPolicy;
  private shuttingDown = false;

  constructor(
    private readonly config: RedisConfig,
    private readonly accessChanges: AccessChanges,
    private readonly subscriber: RedisSubscriber,
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
      this.subscriber.unsubscribe(channel, this.onCommands);
    });
    // Without Redis the stream still works: messages are redelivered to it every minute.
    await Promise.all([
      this.subscriber.subscribe(channel, this.onCommands),
      this.subscriber.subscribe(this.accessChanges.channel, this.onAccessChange),
    ]);
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
  }

  private readonly onCommands = (text: string, channel: string): void => {
    const stream = this.streams.get(channel);
    if (stream) void this.deliver(stream, async () => Promise.resolve(JSON.parse(text) as PushCommand[]));
  };

  private readonly onAccessChange = (user: string): void => {
    const streams = this.listOpen().filter(({ account }) => account.user.toHexString() === user);
    if (streams.length === 0) return;
    this.policy?.onAccessChange(streams).catch((failure: unknown) => {
      this.logger.error(
        `The streams of account ${user} were not checked after an access change; the next check is within 15 s: ${formatError(failure)}`,
      );
    });
  };
}
