import { Injectable, Logger } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { Coalescer } from '../../common/coalescer';
import { SECOND_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { ConnectionsRepository } from '../../devices/connection/connections.repository';
import type { OutgoingMessage } from '../../messages/message.schema';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import type { PushCommand, PushTarget, MessageOffer } from '../../push/push-transport';
import { PushClient } from '../../push/push-client.service';
import { MAX_STREAMS_PER_READ } from '../../push/stream-upkeep';
import type { DeviceStream } from '../../push/stream/device-stream';
import { toSmsCommand } from '../../gateway/push-commands/sms-command';
import { OfferClaimsRepository } from '../../gateway/dispatch/offer-claims.repository';
import { WaveStarter } from '../../gateway/dispatch/wave-starter.service';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';

/** Offers that come too late make what waits due again at most this often for each stream; the rest is found within a minute. */
const MIN_LATE_INTERVAL_MS = 5 * SECOND_MS;

/** Messages of one look; the next one finds the others. */
const MAX_MESSAGES = 5_000;

/** Hands messages to the streams of this process: it decides, by the write that takes them, that they are handed over. */
@Injectable()
export class StreamHandOver {
  private readonly logger = new Logger(StreamHandOver.name);
  private readonly lateSince = new WeakMap<DeviceStream, Date>();
  private readonly confirmations = new Coalescer(
    (streams: readonly DeviceStream[]) => this.confirmTogether(streams),
    { maxGroupSize: MAX_STREAMS_PER_READ },
  );

  constructor(
    private readonly claims: OfferClaimsRepository,
    private readonly waiting: WaitingMessagesRepository,
    private readonly waves: WaveStarter,
    private readonly connections: ConnectionsRepository,
    private readonly recorder: ConnectionRecorder,
    private readonly changes: MessageChanges,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /** @returns the commands of the messages that it has taken. */
  async take({ account, deviceId }: DeviceStream, offer: MessageOffer): Promise<readonly PushCommand[]> {
    const taken = await this.takeMessages(account, { deviceId, transport: 'stream' }, offer);
    return taken.map(toSmsCommand);
  }

  /** Takes those of the offered messages that may still be handed over. @returns them; from then on they are handed over. */
  async takeMessages(
    account: AccountScope,
    target: PushTarget,
    { claim, ids }: MessageOffer,
  ): Promise<readonly OutgoingMessage[]> {
    const { deviceId } = target;
    const messages = await this.claims.take(account, deviceId, claim, ids, this.clock.now());
    if (messages.length === 0) return [];
    this.recorder.recordHandOver(deviceId);
    this.changes.recordAll('dispatched', messages.length, messages);
    this.pushClient.countTaken(target, messages.length);
    return messages;
  }

  /** An offer came after it was withdrawn, or a message of it was cancelled. */
  async onMissed(stream: DeviceStream): Promise<void> {
    const now = this.clock.now();
    const last = this.lateSince.get(stream);
    if (last && now.getTime() - last.getTime() < MIN_LATE_INTERVAL_MS) return;
    this.lateSince.set(stream, now);
    await this.confirm(stream);
  }

  /**
   * Records that a stream is held, and makes the messages due that wait for its phone, also without Redis. Streams that are confirmed
   * at the same time share reads and writes. Never throws.
   */
  confirm(stream: DeviceStream): Promise<void> {
    return this.confirmations.submit(stream);
  }

  private async confirmTogether(streams: readonly DeviceStream[]): Promise<undefined[]> {
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
    return streams.map(() => undefined);
  }
}
