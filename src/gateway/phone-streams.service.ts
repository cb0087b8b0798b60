import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../auth/account-scope';
import { AuthService } from '../auth/auth.service';
import { Clock } from '../common/clock';
import { type PlatformResponse, takeOver } from '../common/http/raw-http';
import { DevicesRepository } from '../devices/devices.repository';
import { DevicesService } from '../devices/devices.service';
import { MessagesRepository } from '../messages/messages.repository';
import { DeviceStream } from '../push/stream/device-stream';
import { StreamHub } from '../push/stream/stream-hub';
import { offerWindow } from './offer';
import { NotAStreamDevice } from './phone.errors';
import { smsCommand } from './sms-command';
import { failureLine } from '../common/failure-line';

const HEARTBEAT_COMMENT_EVERY_MS = 15_000;
const OFFER_EVERY_MS = 60_000;
const MOST_OFFERED = 500;

/** The streams phones hold: opened, fed with what they have missed, closed when what opened them no longer does. */
@Injectable()
export class PhoneStreams {
  private readonly logger = new Logger(PhoneStreams.name);

  constructor(
    private readonly hub: StreamHub,
    private readonly devices: DevicesService,
    private readonly registry: DevicesRepository,
    private readonly auth: AuthService,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound, NotAStreamDevice */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const { device } = await this.devices.get(account, id);
    if (device.pushTransport !== 'stream') throw new NotAStreamDevice();
    const stream = new DeviceStream(account, id, takeOver(response));
    await this.hub.add(stream);
    // Only now: whatever is pushed from here on arrives by itself, so nothing falls between the two.
    await this.offer(stream).catch((failure: unknown) => {
      this.logger.error(`The offer to device ${id.toHexString()} failed: ${failureLine(failure)}`);
    });
  }

  @Interval(HEARTBEAT_COMMENT_EVERY_MS)
  async tend(): Promise<void> {
    const streams = this.hub.open();
    for (const stream of streams) stream.comment('still here');
    try {
      await this.closeForfeited(streams);
    } catch (failure) {
      this.logger.error(
        `Whether keys and tokens still open their streams could not be asked: ${failureLine(failure)}`,
      );
    }
  }

  @Interval(OFFER_EVERY_MS)
  async offerAgain(): Promise<void> {
    try {
      for (const stream of this.hub.open()) await this.offer(stream);
    } catch (failure) {
      this.logger.error(`Messages could not be offered again: ${failureLine(failure)}`);
    }
  }

  /** Closes the streams of revoked keys, ended tokens and deleted devices. */
  private async closeForfeited(streams: readonly DeviceStream[]): Promise<void> {
    if (streams.length === 0) return;
    const [forfeited, deleted] = await Promise.all([
      this.auth.findForfeited(streams.map(({ account }) => account)),
      this.registry.findDeleted(streams.map(({ deviceId }) => deviceId)),
    ]);
    for (const stream of streams) {
      if (forfeited.has(stream.account) || deleted.has(stream.deviceId.toHexString())) stream.close();
    }
  }

  private async offer(stream: DeviceStream): Promise<void> {
    const window = offerWindow('stream', this.clock.now());
    const offered = await this.messages.listOffered(stream.deviceId, window, MOST_OFFERED);
    for (const message of offered) stream.send(smsCommand(message));
    const requested = await this.messages.listCancelRequested(stream.deviceId, window, MOST_OFFERED);
    if (requested.length > 0)
      stream.send({ kind: 'cancel', smsIds: requested.map((id) => id.toHexString()) });
  }
}
