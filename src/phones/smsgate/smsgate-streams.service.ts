import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthService } from '../../auth/authentication/auth.service';
import type { AccountScope, AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { ConcurrencyLimited } from '../../auth/limits/limit.errors';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { hijackResponse, type PlatformResponse } from '../../common/http/connections/raw-http';
import { StreamRounds, TURN_MS } from '../../common/http/streams/stream-rounds';
import { keepAlive } from '../../common/http/streams/stream-upkeep';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { DevicesService } from '../../devices/devices.service';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';
import { WakeHub, type WakeStream } from '../../push/wake/wake-hub';
import { requestAtStream } from './export-requests';
import { SmsGateStream } from './smsgate-stream';

/** Each start of the app opens a stream, and closes no older one. Closing them here would make it open new ones without end. */
const MAX_STREAMS_PER_PHONE = 10;

/** Waiting messages that a look for many phones examines. */
const MAX_MESSAGES_PER_LOOK = 1_000;

/** The open streams of apps in this process, as connections of their phones. */
@Injectable()
export class SmsGateStreams {
  private readonly logger = new Logger(SmsGateStreams.name);
  private readonly rounds = new StreamRounds<WakeStream>();
  /** The record of the stream that each phone with open streams has opened last. */
  private readonly lastRecords = new Map<string, Types.ObjectId>();

  constructor(
    private readonly hub: WakeHub,
    private readonly devices: DevicesService,
    private readonly auth: AuthService,
    private readonly limits: ConcurrencyLimiter,
    private readonly connections: ConnectionRecorder,
    private readonly waiting: WaitingMessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws DeviceNotFound, ConcurrencyLimited */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const device = await this.devices.getStored(account, id);
    this.assertRoom(account, id);
    const isConnected = this.hub.countOfDevice(id) > 0;
    const exportRequest = requestAtStream(device, isConnected, this.clock.now());
    // Before the app is answered, so that a phone that is connected is known to be.
    const recordId = await this.connections.openStream(device, exportRequest);
    this.lastRecords.set(id.toHexString(), recordId);
    try {
      // Again, because others have opened meanwhile.
      this.assertRoom(account, id);
    } catch (failure) {
      this.closeRecord(account, id);
      throw failure;
    }
    const stream = new SmsGateStream(account, id, hijackResponse(response));
    this.rounds.add(stream);
    await this.hub.add(stream);
    // Without the device, which would stay in memory as long as the stream.
    stream.onClose(() => {
      this.closeRecord(account, id);
    });
    if (exportRequest) stream.requestExport(exportRequest);
  }

  /** Answers a fetch, which its streams do not interrupt. */
  duringFetch<Result>(id: Types.ObjectId, fetch: () => Promise<Result>): Promise<Result> {
    return this.hub.duringFetch(id, fetch);
  }

  /** Keeps streams alive every 15 s and wakes their phones every minute, a part of them in each turn. Never throws. */
  @Interval(TURN_MS)
  visitDue(nowMs = performance.now()): Promise<void> {
    return this.rounds.visitDue(nowMs, async ({ forKeepAlive, forCatchUp }) => {
      await this.keepAlive(forKeepAlive);
      await this.wake(forCatchUp);
    });
  }

  /** Tells apps and proxies that these streams, or all, are alive, and closes those whose access has ended. Never throws. */
  keepAlive(streams: readonly WakeStream[] = this.hub.listOpen()): Promise<void> {
    return keepAlive(streams, 'keepalive', (some) => this.listEnded(some), this.logger);
  }

  /** Wakes the phones of these streams, or of all, that messages wait for: a signal may have been lost. Never throws. */
  async wake(streams: readonly WakeStream[] = this.hub.listOpen()): Promise<void> {
    const phones = new Map(
      streams.map(({ account, deviceId }) => [deviceId.toHexString(), { _id: deviceId, user: account.user }]),
    );
    if (phones.size === 0) return;
    try {
      const waitedFor = await this.waiting.listWaitedFor([...phones.values()], MAX_MESSAGES_PER_LOOK);
      for (const device of waitedFor) this.hub.signal(device, { kind: 'fetch' });
    } catch (failure) {
      this.logger.error(
        `What waits for ${phones.size} phones was not looked for; the next look is within a minute: ${formatError(failure)}`,
      );
    }
  }

  /** Records that a phone has no stream here any more. In whatever order they end, the last one ends the record of the one opened last. */
  private closeRecord({ user }: AccountScope, id: Types.ObjectId): void {
    const key = id.toHexString();
    const recordId = this.lastRecords.get(key);
    if (!recordId || this.hub.countOfDevice(id) > 0) return;
    this.lastRecords.delete(key);
    void this.connections.closeStream({ _id: id, user }, recordId);
  }

  private async listEnded(streams: readonly WakeStream[]): Promise<WakeStream[]> {
    const revoked = await this.auth.findRevoked(streams.map(({ account }) => account));
    return streams.filter(({ account }) => revoked.has(account));
  }

  private assertRoom({ user }: AuthenticatedAccount, id: Types.ObjectId): void {
    this.limits.assertBelow('streams', this.hub.countOtherPhones(user, id));
    if (this.hub.countOfDevice(id) >= MAX_STREAMS_PER_PHONE)
      throw new ConcurrencyLimited('streams', MAX_STREAMS_PER_PHONE);
  }
}
