import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../auth/account-scope';
import { ConcurrencyLimits } from '../auth/limits/concurrency-limits.service';
import { Clock } from '../common/clock';
import { type PlatformResponse, takeOver } from '../common/http/raw-http';
import { DevicesService } from '../devices/devices.service';
import { MessagesRepository } from '../messages/messages.repository';
import { DeviceStream } from '../push/stream/device-stream';
import type { PushCommand } from '../push/push-transport';
import { StreamHub } from '../push/stream/stream-hub';
import { offerWindow } from './offer';
import { NotAStreamDevice } from './phone.errors';
import { smsCommand } from './sms-command';
import { StreamAccess } from './stream-access.service';
import { failureLine } from '../common/failure-line';

const HEARTBEAT_COMMENT_EVERY_MS = 15_000;
const OFFER_EVERY_MS = 60_000;
const MOST_OFFERED = 500;

/** The streams phones hold: opened, fed with what they have missed, closed when what opened them no longer does. */
@Injectable()
export class PhoneStreams implements OnModuleInit {
  private readonly logger = new Logger(PhoneStreams.name);

  constructor(
    private readonly hub: StreamHub,
    private readonly devices: DevicesService,
    private readonly access: StreamAccess,
    private readonly limits: ConcurrencyLimits,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.hub.guardWith({
      gateOf: (stream) => this.access.of(stream),
      // One that is enabled again is handed at once what it has missed.
      onAccessChange: async (streams) => {
        await Promise.all(streams.map((stream) => this.offer(stream)));
      },
    });
  }

  /** @throws DeviceNotFound, NotAStreamDevice, TooManyAtOnce */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const { device } = await this.devices.get(account, id);
    if (device.pushTransport !== 'stream') throw new NotAStreamDevice();
    this.limits.assertBelow('streams', this.hub.countOfOthers(account.user, id));
    const stream = new DeviceStream(account, id, takeOver(response));
    await this.hub.add(stream);
    // Only now: whatever is pushed from here on arrives by itself, so nothing falls between the two.
    await this.offer(stream);
  }

  @Interval(HEARTBEAT_COMMENT_EVERY_MS)
  async tend(): Promise<void> {
    const streams = this.hub.open();
    for (const stream of streams) stream.comment('still here');
    try {
      await Promise.all(streams.map((stream) => this.closeIfEnded(stream)));
    } catch (failure) {
      this.logger.error(`Whether the streams may stay open could not be checked: ${failureLine(failure)}`);
    }
  }

  @Interval(OFFER_EVERY_MS)
  async offerAgain(): Promise<void> {
    for (const stream of this.hub.open()) await this.offer(stream);
  }

  private async closeIfEnded(stream: DeviceStream): Promise<void> {
    if ((await this.access.of(stream)) === 'ended') stream.close();
  }

  /** Hands a phone what it has missed, and asks it again not to send what is to be cancelled. */
  private async offer(stream: DeviceStream): Promise<void> {
    await this.hub.feed(stream, async () => {
      const window = offerWindow('stream', this.clock.now());
      const offered = await this.messages.listOffered(stream.deviceId, window, MOST_OFFERED);
      const commands: PushCommand[] = offered.map(smsCommand);
      const requested = await this.messages.listCancelRequested(stream.deviceId, window, MOST_OFFERED);
      if (requested.length > 0)
        commands.push({ kind: 'cancel', smsIds: requested.map((id) => id.toHexString()) });
      return commands;
    });
  }
}
