import { Injectable, Logger, OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { type PlatformResponse, hijackResponse } from '../../common/http/connections/raw-http';
import { StreamRounds, TURN_MS } from '../../common/http/streams/stream-rounds';
import { closeEnded, keepAlive } from '../../common/http/streams/stream-upkeep';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { capabilitiesOf } from '../../devices/store/phone-capabilities';
import { DevicesService } from '../../devices/devices.service';
import { DeviceStream } from '../../push/stream/device-stream';
import { StreamHub } from '../../push/stream/stream-hub';
import { NotAStreamDevice } from '../phone.errors';
import { StreamAccessService } from './stream-access.service';
import { StreamHandOver } from './stream-hand-over.service';
import { type RedeliveryOptions, StreamRedelivery } from './stream-redelivery.service';

/** Opens the streams of phones, has what waits for them handed over, and closes them when their access ends. */
@Injectable()
export class PhoneStreamService implements OnModuleInit {
  private readonly logger = new Logger(PhoneStreamService.name);
  private readonly rounds = new StreamRounds<DeviceStream>();
  private readonly lookedAfter = new WeakSet<DeviceStream>();

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
        await closeEnded(streams, (some) => this.access.listEnded(some), this.logger);
        // A device that was enabled again gets its messages immediately.
        await this.catchUp(
          streams.filter(({ isOpen }) => isOpen),
          { countsForPace: true },
        );
      },
      prepare: (stream, offer) => this.handOver.prepare(stream, offer),
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
    this.rounds.add(stream);
    await this.hub.add(stream);
    // After the subscription, so that no message is missed in between.
    if (stream.isOpen) await this.catchUp([stream], { countsForPace: true });
  }

  /** Keeps streams alive every 15 s and looks after them every minute, a part of them in each turn. Never throws. */
  @Interval(TURN_MS)
  visitDue(nowMs = performance.now()): Promise<void> {
    return this.rounds.visitDue(nowMs, async ({ forKeepAlive, forCatchUp }) => {
      // One after the other, so that a push seldom waits for many reads.
      await this.keepAlive(forKeepAlive);
      // Not awaited: a phone that does not read what it gets must not hold up the streams of others.
      void this.redeliver(forCatchUp);
    });
  }

  /** Tells phones and proxies that these streams, or all, are alive, and closes those whose access has ended. Never throws. */
  keepAlive(streams: readonly DeviceStream[] = this.hub.listOpen()): Promise<void> {
    return keepAlive(streams, 'still here', (some) => this.access.listEnded(some), this.logger);
  }

  /** Looks for what these streams, or all, have missed, but those whose last look is not done. Never throws. */
  async redeliver(streams: readonly DeviceStream[] = this.hub.listOpen()): Promise<void> {
    await Promise.all(
      streams.map(async (stream) => {
        if (this.lookedAfter.has(stream)) return;
        this.lookedAfter.add(stream);
        await this.catchUp([stream], { countsForPace: false }).finally(() => this.lookedAfter.delete(stream));
      }),
    );
  }

  /** Redelivers what the phones have not acknowledged, and has what waits for them handed over. Never throws. */
  private async catchUp(streams: readonly DeviceStream[], options: RedeliveryOptions): Promise<void> {
    await Promise.all(
      streams.flatMap((stream) => [
        this.redelivery.redeliverTo(stream, options),
        this.handOver.confirm(stream),
      ]),
    );
  }
}
