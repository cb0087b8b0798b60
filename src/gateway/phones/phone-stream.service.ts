import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { Clock } from '../../common/clock';
import { type PlatformResponse, hijackResponse } from '../../common/http/raw-http';
import { DevicesService } from '../../devices/devices.service';
import { MessagesRepository } from '../../messages/messages.repository';
import { DeviceStream } from '../../push/stream/device-stream';
import type { PushCommand } from '../../push/push-transport';
import { StreamHub } from '../../push/stream/stream-hub';
import { redeliveryWindow } from '../dispatch/redelivery-window';
import { NotAStreamDevice } from './phone.errors';
import { toSmsCommand } from '../dispatch/sms-command';
import { StreamAccessService } from './stream-access.service';
import { formatError } from '../../common/format-error';

const KEEPALIVE_INTERVAL_MS = 15_000;
const REDELIVERY_INTERVAL_MS = 60_000;
const MAX_REDELIVERED = 500;

/** Opens the streams of phones, redelivers missed messages to them, and closes them when their access ends. */
@Injectable()
export class PhoneStreamService implements OnModuleInit {
  private readonly logger = new Logger(PhoneStreamService.name);

  constructor(
    private readonly hub: StreamHub,
    private readonly devices: DevicesService,
    private readonly access: StreamAccessService,
    private readonly limits: ConcurrencyLimiter,
    private readonly messages: MessagesRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.hub.setAccessPolicy({
      stateOf: (stream) => this.access.stateOf(stream),
      // A device that was enabled again gets its missed messages immediately.
      onAccessChange: async (streams) => {
        await Promise.all(streams.map((stream) => this.redeliverTo(stream)));
      },
    });
  }

  /** @throws DeviceNotFound, NotAStreamDevice, ConcurrencyLimited */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const device = await this.devices.getStored(account, id);
    if (device.pushTransport !== 'stream') throw new NotAStreamDevice();
    this.limits.assertBelow('streams', this.hub.countForOtherDevices(account.user, id));
    const stream = new DeviceStream(account, id, hijackResponse(response));
    await this.hub.add(stream);
    // After the subscription, so that no message is missed in between.
    await this.redeliverTo(stream);
  }

  @Interval(KEEPALIVE_INTERVAL_MS)
  async keepAlive(): Promise<void> {
    const streams = this.hub.listOpen();
    for (const stream of streams) stream.comment('still here');
    try {
      await Promise.all(streams.map((stream) => this.closeIfEnded(stream)));
    } catch (failure) {
      this.logger.error(`Whether the streams may stay open could not be checked: ${formatError(failure)}`);
    }
  }

  @Interval(REDELIVERY_INTERVAL_MS)
  async redeliver(): Promise<void> {
    for (const stream of this.hub.listOpen()) await this.redeliverTo(stream);
  }

  private async closeIfEnded(stream: DeviceStream): Promise<void> {
    if ((await this.access.stateOf(stream)) === 'ended') stream.close();
  }

  /** Sends unacknowledged messages and unconfirmed cancel requests again. */
  private async redeliverTo(stream: DeviceStream): Promise<void> {
    await this.hub.deliver(stream, async () => {
      const window = redeliveryWindow('stream', this.clock.now());
      const messages = await this.messages.listRedeliverable(stream.deviceId, window, MAX_REDELIVERED);
      const commands: PushCommand[] = messages.map(toSmsCommand);
      const requested = await this.messages.listCancelRequested(stream.deviceId, window, MAX_REDELIVERED);
      if (requested.length > 0)
        commands.push({ kind: 'cancel', smsIds: requested.map((id) => id.toHexString()) });
      return commands;
    });
  }
}
