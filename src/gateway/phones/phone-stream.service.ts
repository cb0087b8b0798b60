import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { type PlatformResponse, hijackResponse } from '../../common/http/raw-http';
import { DevicesService } from '../../devices/devices.service';
import { DeviceStream } from '../../push/stream/device-stream';
import type { PushCommand } from '../../push/push-transport';
import { StreamHub } from '../../push/stream/stream-hub';
import { NotAStreamDevice } from './phone.errors';
import { RedeliveryService } from './redelivery.service';
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
    private readonly redelivery: RedeliveryService,
  ) {}

  onModuleInit(): void {
    this.hub.setAccessPolicy({
      stateOf: (stream) => this.access.stateOf(stream),
      // A device that was enabled again gets its missed messages immediately.
      onAccessChange: async (streams) => {
        await Promise.all(streams.map((stream) => this.redeliverTo(stream, true)));
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
    await this.redeliverTo(stream, true);
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
    for (const stream of this.hub.listOpen()) await this.redeliverTo(stream, false);
  }

  private async closeIfEnded(stream: DeviceStream): Promise<void> {
    if ((await this.access.stateOf(stream)) === 'ended') stream.close();
  }

  /** Sends unacknowledged messages and unconfirmed cancel requests again. */
  private async redeliverTo(stream: DeviceStream, isConnecting: boolean): Promise<void> {
    await this.hub.deliver(stream, async () => {
      const { account, deviceId } = stream;
      const device = { _id: deviceId, pushTransport: 'stream' as const };
      const messages = await this.redelivery.listMessages(account, device, MAX_REDELIVERED, isConnecting);
      const commands: PushCommand[] = messages.map(toSmsCommand);
      const requested = await this.redelivery.listCancelRequested(deviceId, MAX_REDELIVERED);
      if (requested.length > 0)
        commands.push({ kind: 'cancel', smsIds: requested.map((id) => id.toHexString()) });
      return commands;
    });
  }
}
