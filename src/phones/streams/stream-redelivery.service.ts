import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { Coalescer } from '../../common/coalescer';
import { idsOf } from '../../common/documents';
import { formatError } from '../../common/format-error';
import { MAX_STREAMS_PER_READ } from '../../common/http/streams/stream-upkeep';
import { TaskLimiter } from '../../common/task-limiter';
import {
  MessageRedeliveryRepository,
  type RedeliveryWindow,
} from '../../messages/message-redelivery.repository';
import type { OutgoingMessage } from '../../messages/message.schema';
import type { PushCommand } from '../../push/transport/push-transport';
import type { DeviceStream } from '../../push/stream/device-stream';
import { StreamHub } from '../../push/stream/stream-hub';
import { REDELIVERY_WINDOW_MS, redeliveryWindow } from '../../gateway/dispatch/redelivery-window';
import { toSmsCommand } from '../../gateway/push-commands/sms-command';
import { RedeliveryPace } from '../redelivery-pace.service';

const MAX_REDELIVERED = 500;

/** The longest texts of a page fill half of the buffer of a stream. */
const PAGE_SIZE = 50;

const MAX_CONCURRENT_PAGES = 50;

/** Messages that a look for many streams examines. If there are more, each of the streams is looked at. */
const MAX_MESSAGES_PER_LOOK = 1_000;

export interface RedeliveryOptions {
  /** Whether the phone probably does not have the messages: they then draw from the pace of their SIMs. */
  readonly countsForPace: boolean;
}

interface Page extends RedeliveryOptions {
  readonly window: RedeliveryWindow;
  /** Messages of earlier pages. */
  readonly except: readonly Types.ObjectId[];
}

/** Redelivers missed messages to the streams of this process, one page after another as fast as the phone reads. */
@Injectable()
export class StreamRedelivery {
  private readonly logger = new Logger(StreamRedelivery.name);
  private readonly running = new WeakSet<DeviceStream>();
  private readonly looks = new Coalescer((streams: readonly DeviceStream[]) => this.look(streams), {
    maxGroupSize: MAX_STREAMS_PER_READ,
  });
  private readonly limiter = new TaskLimiter(MAX_CONCURRENT_PAGES);

  constructor(
    private readonly hub: StreamHub,
    private readonly redeliveries: MessageRedeliveryRepository,
    private readonly pace: RedeliveryPace,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends unacknowledged messages and unconfirmed cancel requests again. Does nothing while an earlier call for the stream
   * is running. Most phones miss nothing, which streams that are looked at together learn from one read. Never throws.
   */
  async redeliverTo(stream: DeviceStream, options: RedeliveryOptions): Promise<void> {
    if (this.running.has(stream)) return;
    this.running.add(stream);
    try {
      // Ends now, so that what is pushed meanwhile is not sent twice.
      const window = this.windowUntilNow();
      if (!(await this.looks.submit(stream))) return;
      let sent: readonly Types.ObjectId[] = [];
      for (;;) {
        const page = { ...options, window, except: sent };
        const ids = await this.limiter.run(() => this.sendPage(stream, page));
        sent = [...sent, ...ids];
        if (ids.length < PAGE_SIZE || sent.length >= MAX_REDELIVERED) break;
        await stream.drained();
      }
    } finally {
      this.running.delete(stream);
    }
  }

  /** Sends a page of messages; before the first one, the cancel requests. @returns the messages that were sent. */
  private async sendPage(
    stream: DeviceStream,
    { window, except, countsForPace }: Page,
  ): Promise<readonly Types.ObjectId[]> {
    if (!stream.isOpen) return [];
    const { account, deviceId } = stream;
    let messages: readonly OutgoingMessage[] = [];
    const wasSent = await this.hub.deliver(stream, async () => {
      const cancelled =
        except.length === 0
          ? await this.redeliveries.listCancelRequested(account, deviceId, window, MAX_REDELIVERED)
          : [];
      messages = await this.redeliveries.listRedeliverable(account, deviceId, window, PAGE_SIZE, except);
      const commands: PushCommand[] = messages.map(toSmsCommand);
      if (cancelled.length > 0)
        commands.unshift({ kind: 'cancel', smsIds: cancelled.map((id) => id.toHexString()) });
      return commands;
    });
    if (!wasSent) return [];
    if (countsForPace) await this.countForPace(stream, messages);
    return idsOf(messages);
  }

  /** Only what was sent, so that a phone that gets nothing is not slowed. Never throws: the messages are sent already. */
  private async countForPace(
    { account, deviceId }: DeviceStream,
    messages: readonly OutgoingMessage[],
  ): Promise<void> {
    try {
      await this.pace.count(account, deviceId, messages);
    } catch (failure) {
      this.logger.error(
        `${messages.length} messages that were redelivered to device ${deviceId.toHexString()} were not counted for the pace of their SIMs: ${formatError(failure)}`,
      );
    }
  }

  /** Of each stream, whether its phone may have missed something. Never throws. */
  private async look(streams: readonly DeviceStream[]): Promise<boolean[]> {
    const devices = streams.map(({ account, deviceId }) => ({ _id: deviceId, user: account.user }));
    try {
      const found = await this.redeliveries.listUnacknowledgedDevices(
        devices,
        this.windowUntilNow(),
        MAX_MESSAGES_PER_LOOK,
      );
      return devices.map(({ _id }) => found?.has(_id.toHexString()) ?? true);
    } catch (failure) {
      this.logger.error(
        `What the phones of ${streams.length} streams have missed was not looked for; the next look is within a minute: ${formatError(failure)}`,
      );
      return devices.map(() => false);
    }
  }

  private windowUntilNow(): RedeliveryWindow {
    return redeliveryWindow({ redeliverAfterMs: 0, redeliverForMs: REDELIVERY_WINDOW_MS }, this.clock.now());
  }
}
