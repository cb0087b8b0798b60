import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { type PlatformResponse, hijackResponse } from '../../common/http/raw-http';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import type { Device } from '../../devices/device.schema';
import { DevicesService } from '../../devices/devices.service';
import { DeviceStream } from '../../push/stream/device-stream';
import { StreamHub } from '../../push/stream/stream-hub';
import { NotAStreamDevice } from './phone.errors';
import { StreamAccessService } from './stream-access.service';
import { StreamRedelivery } from './stream-redelivery.service';
import { formatError } from '../../common/format-error';

const KEEPALIVE_INTERVAL_MS = 15_000;
const REDELIVERY_INTERVAL_MS = 60_000;

/** Opens the streams of phones, redelivers missed messages to them, and closes them when their access ends. */
@Injectable()
export class PhoneStreamService implements OnModuleInit {
  private readonly logger = new Logger(PhoneStreamService.name);

  constructor(
    private readonly hub: StreamHub,
    private readonly devices: DevicesService,
    private readonly access: StreamAccessService,
    private readonly limits: ConcurrencyLimiter,
    private readonly redelivery: StreamRedelivery,
    private readonly connections: ConnectionRecorder,
  ) {}

  onModuleInit(): void {
    this.hub.setAccessPolicy({
      stateOf: (stream) => this.access.stateOf(stream),
      onAccessChange: async (streams) => {
        await Promise.all(streams.map((stream) => this.closeIfEnded(stream)));
        // A device that was enabled again gets its missed messages immediately.
        await Promise.all(
          streams.map((stream) => this.redelivery.redeliverTo(stream, { countsForPace: true })),
        );
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
    await this.recordStream(device, stream);
    // After the subscription, so that no message is missed in between.
    await this.redelivery.redeliverTo(stream, { countsForPace: true });
  }

  @Interval(KEEPALIVE_INTERVAL_MS)
  async keepAlive(): Promise<void> {
    const streams = this.hub.listOpen();
    for (const stream of streams) stream.comment('still here');
    try {
      await Promise.all(streams.map((stream) => this.closeIfEnded(stream)));
    } catch (failure) {
      this.logger.error(
        `The access of ${streams.length} streams was not checked; the next check is in 15 s: ${formatError(failure)}`,
      );
    }
  }

  @Interval(REDELIVERY_INTERVAL_MS)
  async redeliver(): Promise<void> {
    await Promise.all(
      this.hub.listOpen().map((stream) => this.redelivery.redeliverTo(stream, { countsForPace: false })),
    );
  }

  /** Closes a stream that cannot be recorded, so that the phone opens another one. */
  private async recordStream(device: Device, stream: DeviceStream): Promise<void> {
    try {
      const id = await this.connections.openStream(device);
      stream.onClose(() => void this.connections.closeStream(device, id));
    } catch (failure) {
      this.logger.error(
        `The stream of device ${device._id.toHexString()} was not recorded and is closed: ${formatError(failure)}`,
      );
      stream.close();
    }
  }

  private async closeIfEnded(stream: DeviceStream): Promise<void> {
    if ((await this.access.stateOf(stream)) === 'ended') stream.close();
  }
}
