import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { type PlatformResponse, hijackResponse } from '../../common/http/raw-http';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { capabilitiesOf } from '../../devices/phone-capabilities';
import { DevicesService } from '../../devices/devices.service';
import { DeviceStream } from '../../push/stream/device-stream';
import { StreamHub } from '../../push/stream/stream-hub';
import { NotAStreamDevice } from '../phone.errors';
import type { RedeliveryPage } from '../message-redelivery.service';
import { StreamAccessService } from './stream-access.service';
import { StreamHandOver } from './stream-hand-over.service';
import { StreamRedelivery } from './stream-redelivery.service';
import { formatError } from '../../common/format-error';

const KEEPALIVE_INTERVAL_MS = 15_000;
const CATCH_UP_INTERVAL_MS = 60_000;

/** Opens the streams of phones, has what waits for them handed over, and closes them when their access ends. */
@Injectable()
export class PhoneStreamService implements OnModuleInit {
  private readonly logger = new Logger(PhoneStreamService.name);

  constructor(
    private readonly hub: StreamHub,
    private readonly devices: DevicesService,
    private readonly access: StreamAccessService,
    private readonly limits: ConcurrencyLimiter,
    private readonly redelivery: StreamRedelivery,
    private readonly handOver: StreamHandOver,
    private readonly connections: ConnectionRecorder,
  ) {}

  onModuleInit(): void {
    this.hub.setHandler({
      stateOf: (stream) => this.access.stateOf(stream),
      onAccessChange: async (streams) => {
        await Promise.all(streams.map((stream) => this.closeIfEnded(stream)));
        // A device that was enabled again gets its messages immediately.
        await this.catchUp(streams, { countsForPace: true });
      },
      take: (stream, offer) => this.handOver.take(stream, offer),
      onMissed: (stream) => this.handOver.onMissed(stream),
    });
  }

  /** @throws DeviceNotFound, NotAStreamDevice, ConcurrencyLimited */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const device = await this.devices.getStored(account, id);
    if (!capabilitiesOf(device).holdsStream) throw new NotAStreamDevice();
    const assertRoom = () => {
      this.limits.assertBelow('streams', this.hub.countForOtherDevices(account.user, id));
    };
    assertRoom();
    // Before the phone is answered, so that one that is connected is known to be.
    const recordId = await this.connections.openStream(device);
    try {
      // Again, because others have opened meanwhile.
      assertRoom();
    } catch (failure) {
      await this.connections.closeStream(device, recordId);
      throw failure;
    }
    const stream = new DeviceStream(account, id, recordId, hijackResponse(response));
    stream.onClose(() => void this.connections.closeStream({ _id: id, user: account.user }, recordId));
    await this.hub.add(stream);
    // After the subscription, so that no message is missed in between.
    if (stream.isOpen) await this.catchUp([stream], { countsForPace: true });
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

  @Interval(CATCH_UP_INTERVAL_MS)
  async redeliver(): Promise<void> {
    await this.catchUp(this.hub.listOpen(), { countsForPace: false });
  }

  /** Redelivers what the phones have not acknowledged, and has what waits for them handed over. */
  private async catchUp(
    streams: readonly DeviceStream[],
    options: Pick<RedeliveryPage, 'countsForPace'>,
  ): Promise<void> {
    const redelivered = streams.map((stream) => this.redelivery.redeliverTo(stream, options));
    try {
      await this.handOver.confirm(streams);
    } catch (failure) {
      this.logger.error(
        `What waits for the phones of ${streams.length} streams was not looked for; the next look is within a minute: ${formatError(failure)}`,
      );
    }
    await Promise.all(redelivered);
  }

  private async closeIfEnded(stream: DeviceStream): Promise<void> {
    if ((await this.access.stateOf(stream)) === 'ended') stream.close();
  }
}
