import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { coalescedWrites } from '../../common/coalescer';
import { SECOND_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import { MAX_STREAMS_PER_READ } from '../../common/http/streams/stream-upkeep';
import { ConnectionsRepository } from '../../devices/connection/connections.repository';
import type { MessageOffer } from '../../push/transport/push-transport';
import type { DeviceStream } from '../../push/stream/device-stream';
import type { TakeOffered } from '../../push/stream/stream-hub';
import { toSmsCommand } from '../../gateway/push-commands/sms-command';
import { MessageTaker } from '../../gateway/dispatch/message-taker.service';
import { DueWaves } from '../../gateway/dispatch/due-waves.service';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';

/** Offers that come too late make what waits due again at most this often for each stream; the rest is found within a minute. */
const MIN_LATE_INTERVAL_MS = 5 * SECOND_MS;

/** Messages of one look; the next one finds the others. */
const MAX_MESSAGES = 5_000;

/** Hands messages to the streams of this process: it decides, by the write that takes them, that they are handed over. */
@Injectable()
export class StreamHandOver {
  private readonly logger = new Logger(StreamHandOver.name);
  private readonly lastLookAt = new WeakMap<DeviceStream, Date>();
  private readonly confirmations = coalescedWrites<DeviceStream>((streams) => this.confirmTogether(streams), {
    maxGroupSize: MAX_STREAMS_PER_READ,
  });

  constructor(
    private readonly taker: MessageTaker,
    private readonly waiting: WaitingMessagesRepository,
    private readonly waves: DueWaves,
    private readonly connections: ConnectionsRepository,
    private readonly clock: Clock,
  ) {}

  /** Reads offered messages. @returns what takes them, and returns the commands of those that it has taken. */
  async prepare({ account, deviceId }: DeviceStream, offer: MessageOffer): Promise<TakeOffered> {
    const messages = await this.taker.read(account, offer);
    return async () => {
      const taken = await this.taker.take(account, { deviceId, transport: 'stream' }, offer);
      return messages.filter(({ _id }) => taken.has(_id.toHexString())).map(toSmsCommand);
    };
  }

  /** An offer came after it was withdrawn, or a message of it was cancelled. */
  async onMissed(stream: DeviceStream): Promise<void> {
    const now = this.clock.now();
    const last = this.lastLookAt.get(stream);
    if (last && now.getTime() - last.getTime() < MIN_LATE_INTERVAL_MS) return;
    this.lastLookAt.set(stream, now);
    await this.confirm(stream);
  }

  /**
   * Records that a stream is held, and makes the messages due that wait for its phone, also without Redis. Streams that are confirmed
   * at the same time share reads and writes. Never throws.
   */
  confirm(stream: DeviceStream): Promise<void> {
    return this.confirmations.submit(stream);
  }

  private async confirmTogether(streams: readonly DeviceStream[]): Promise<void> {
    const now = this.clock.now();
    try {
      await this.connections.confirmStreams(streams, now);
      const devices = streams.map(({ account, deviceId }) => ({ _id: deviceId, user: account.user }));
      await this.waves.enqueueOrDispatch(await this.waiting.makeDueForPhones(devices, now, MAX_MESSAGES));
    } catch (failure) {
      this.logger.error(
        `What waits for the phones of ${streams.length} streams was not looked for; the next look is within a minute: ${formatError(failure)}`,
      );
    }
  }
}
