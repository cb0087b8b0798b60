import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { RedisSubscriber } from '../../infrastructure/redis/redis-subscriber';
import { RedisConfig } from '../../config/sections/redis.config';
import { Types } from 'mongoose';
import type { PushCommand, MessageOffer } from '../transport/push-transport';
import { DeviceStream } from './device-stream';
import { streamChannel, type StreamSignal } from './stream-channel';
import { formatError } from '../../common/format-error';
import { forEachInSlices } from '../../common/slices';
import { AccountGroups } from '../../common/account-groups';

/** `open`: may get commands. `paused`: stays connected without commands. `ended`: must be closed. */
export type StreamState = 'open' | 'paused' | 'ended';

/**
 * Takes those of some offered messages that may still be handed over, by one conditional write. Called if the stream is open.
 * @returns the commands of those that it took.
 */
export type TakeOffered = () => Promise<readonly PushCommand[]>;

/** What the gateway decides: whether a stream may stay open, and which messages are handed over. */
export interface StreamHandler {
  stateOf(stream: DeviceStream): Promise<StreamState>;
  /** Called with the streams of an account whose access may have changed. */
  onAccessChange(streams: readonly DeviceStream[]): Promise<void>;
  /** Reads offered messages, and takes none. */
  prepare(stream: DeviceStream, offer: MessageOffer): Promise<TakeOffered>;
  /** Called when an offer of another process came to an open stream, and not all of its messages could be taken. */
  onMissed(stream: DeviceStream): Promise<void>;
}

/** The open streams of this process. Offers and commands of other processes arrive over Redis. */
@Injectable()
export class StreamHub implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamHub.name);
  private readonly streams = new Map<string, DeviceStream>();
  private readonly accounts = new AccountGroups<DeviceStream>();
  private handler?: StreamHandler;
  private shuttingDown = false;

  constructor(
    private readonly config: RedisConfig,
    private readonly accessChanges: AccessChanges,
    private readonly subscriber: RedisSubscriber,
  ) {}

  /** Must be called before the first stream is added: without a handler nothing is delivered. */
  setHandler(handler: StreamHandler): void {
    this.handler = handler;
  }

  /** Adds a stream, unless it is closed already, and closes the device's previous one, which is likely half-open. */
  async add(stream: DeviceStream): Promise<void> {
    if (this.shuttingDown) stream.close();
    if (!stream.isOpen) return;
    const channel = streamChannel(this.config, stream.deviceId);
    const { user } = stream.account;
    this.streams.get(channel)?.close();
    this.streams.set(channel, stream);
    this.accounts.set(user, channel, stream);
    stream.onClose(() => {
      if (this.streams.get(channel) !== stream) return;
      this.streams.delete(channel);
      this.accounts.delete(user, channel);
      this.subscriber.unsubscribe(channel, this.onSignal);
    });
    // Without Redis the stream still works: what waits for it is looked for every minute.
    await Promise.all([
      this.subscriber.subscribe(channel, this.onSignal),
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
      const state = await this.stateOf(stream);
      if (state === 'open') for (const command of loaded) stream.send(command);
      return state === 'open' && stream.isOpen;
    } catch (failure) {
      this.logger.error(
        `Commands for device ${stream.deviceId.toHexString()} were not sent; messages and cancel requests are redelivered: ${formatError(failure)}`,
      );
      return false;
    }
  }

  /** Offers messages to the stream of a phone in this process. Never throws. @returns whether all of them were taken. */
  async offer(deviceId: Types.ObjectId, offer: MessageOffer): Promise<boolean> {
    const stream = this.streams.get(streamChannel(this.config, deviceId));
    // Workers do not wait for a phone that reads slowly.
    if (!stream || stream.isCongested) return false;
    return (await this.handOver(stream, offer)) === 'all';
  }

  listOpen(): DeviceStream[] {
    return [...this.streams.values()];
  }

  /** Counts the account's open streams, except the one of this device, which a new stream replaces. */
  countForOtherDevices(user: Types.ObjectId, device: Types.ObjectId): number {
    return this.accounts.countOthers(user, streamChannel(this.config, device));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.shuttingDown = true;
    await forEachInSlices(this.listOpen(), (stream) => {
      stream.close();
    });
  }

  private readonly onSignal = (text: string, channel: string): void => {
    const stream = this.streams.get(channel);
    if (!stream) return;
    void this.receive(stream, text);
  };

  /** Never throws. */
  private async receive(stream: DeviceStream, text: string): Promise<void> {
    try {
      const signal = JSON.parse(text) as StreamSignal;
      if ('offer' in signal) {
        await this.handOverSignalled(stream, signal.offer);
        return;
      }
      await stream.handedOver();
      await this.deliver(stream, () => Promise.resolve(signal.commands));
    } catch (failure) {
      this.logger.error(
        `A message from Redis for device ${stream.deviceId.toHexString()} was ignored: ${formatError(failure)}`,
      );
    }
  }

  private async handOverSignalled(
    stream: DeviceStream,
    { claim, ids }: { readonly claim: string; readonly ids: readonly string[] },
  ): Promise<void> {
    const offer = { claim: new Types.ObjectId(claim), ids: ids.map((id) => new Types.ObjectId(id)) };
    if ((await this.handOver(stream, offer)) !== 'some') return;
    // The offer may have been withdrawn before it arrived.
    await this.handler?.onMissed(stream);
  }

  /** Never throws. @returns `some` if not all could be taken, or none; `none` if the stream gets nothing. */
  private handOver(stream: DeviceStream, offer: MessageOffer): Promise<'all' | 'some' | 'none'> {
    return stream.track(this.takeAndSend(stream, offer));
  }

  private async takeAndSend(stream: DeviceStream, offer: MessageOffer): Promise<'all' | 'some' | 'none'> {
    try {
      await stream.drained();
      const [state, take] = await Promise.all([this.stateOf(stream), this.handler?.prepare(stream, offer)]);
      // Before they are taken: what is taken is handed over, also if this process dies before it is sent.
      if (state !== 'open' || !stream.isOpen) return 'none';
      const commands = (await take?.()) ?? [];
      for (const command of commands) stream.send(command);
      return commands.length === offer.ids.length ? 'all' : 'some';
    } catch (failure) {
      this.logger.error(
        `Messages for device ${stream.deviceId.toHexString()} were not sent; they are offered again, or redelivered: ${formatError(failure)}`,
      );
      return 'none';
    }
  }

  /** Closes the stream if its access has ended. */
  private async stateOf(stream: DeviceStream): Promise<StreamState | undefined> {
    const state = await this.handler?.stateOf(stream);
    if (state === 'ended') stream.close();
    return state;
  }

  private readonly onAccessChange = (user: string): void => {
    const streams = this.accounts.list(user);
    if (streams.length === 0) return;
    this.handler?.onAccessChange(streams).catch((failure: unknown) => {
      this.logger.error(
        `The streams of account ${user} were not checked after an access change; the next check is within 15 s: ${formatError(failure)}`,
      );
    });
  };
}
