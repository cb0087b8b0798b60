import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { AuthService } from '../../auth/authentication/auth.service';
import type { AuthenticatedAccount } from '../../auth/account-scope';
import { ConcurrencyLimiter } from '../../auth/limits/concurrency-limiter.service';
import { ConcurrencyLimited } from '../../auth/limits/limit.errors';
import { formatError } from '../../common/format-error';
import { hijackResponse, type PlatformResponse } from '../../common/http/raw-http';
import { ConnectionRecorder } from '../../devices/connection/connection-recorder.service';
import { DevicesService } from '../../devices/devices.service';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';
import { WakeHub, type WakeStream } from '../../push/wake/wake-hub';
import { ReceptionExports } from './reception-exports.service';
import { SmsGateStream } from './smsgate-stream';

/** Each start of the app opens a stream, and closes no older one. Closing them here would make it open new ones without end. */
const MAX_STREAMS_PER_PHONE = 10;

const KEEPALIVE_INTERVAL_MS = 15_000;
const WAKE_INTERVAL_MS = 60_000;

/** The open streams of apps in this process, as connections of their phones. */
@Injectable()
export class SmsGateStreams {
  private readonly logger = new Logger(SmsGateStreams.name);

  constructor(
    private readonly hub: WakeHub,
    private readonly devices: DevicesService,
    private readonly auth: AuthService,
    private readonly limits: ConcurrencyLimiter,
    private readonly connections: ConnectionRecorder,
    private readonly waiting: WaitingMessagesRepository,
    private readonly exports: ReceptionExports,
  ) {}

  /** @throws DeviceNotFound, ConcurrencyLimited */
  async open(account: AuthenticatedAccount, id: Types.ObjectId, response: PlatformResponse): Promise<void> {
    const device = await this.devices.getStored(account, id);
    this.assertRoom(account, id);
    const span = this.hub.countOfDevice(id) === 0 ? await this.exports.begin(device) : undefined;
    // Before the app is answered, so that a phone that is connected is known to be.
    const recordId = await this.connections.openStream(device);
    const stream = new SmsGateStream(account, id, hijackResponse(response));
    await this.hub.add(stream);
    // Not the device, which would stay in memory as long as the stream.
    const { user } = account;
    stream.onClose(() => {
      if (this.hub.countOfDevice(id) === 0) void this.connections.closeStream({ _id: id, user }, recordId);
    });
    if (span) stream.requestExport(span);
  }

  /** Answers a fetch, which its streams do not interrupt. */
  duringFetch<Result>(id: Types.ObjectId, fetch: () => Promise<Result>): Promise<Result> {
    return this.hub.duringFetch(id, fetch);
  }

  @Interval(KEEPALIVE_INTERVAL_MS)
  async keepAlive(): Promise<void> {
    const streams = this.hub.listPhones().flat();
    for (const stream of streams) stream.comment('keepalive');
    try {
      await this.closeEnded(streams);
    } catch (failure) {
      this.logger.error(
        `The access of ${streams.length} streams was not checked; the next check is in 15 s: ${formatError(failure)}`,
      );
    }
  }

  /** Wakes phones that messages wait for, because a signal may have been lost. */
  @Interval(WAKE_INTERVAL_MS)
  async wake(): Promise<void> {
    const phones = this.hub
      .listPhones()
      .map(([{ account, deviceId }]) => ({ _id: deviceId, user: account.user }));
    if (phones.length === 0) return;
    for (const device of await this.waiting.listWithUnreachable(phones))
      this.hub.signal(device, { kind: 'fetch' });
  }

  private async closeEnded(streams: readonly WakeStream[]): Promise<void> {
    if (streams.length === 0) return;
    const revoked = await this.auth.findRevoked(streams.map(({ account }) => account));
    for (const stream of streams) if (revoked.has(stream.account)) stream.close();
  }

  private assertRoom({ user }: AuthenticatedAccount, id: Types.ObjectId): void {
    this.limits.assertBelow('streams', this.hub.countOtherPhones(user, id));
    if (this.hub.countOfDevice(id) >= MAX_STREAMS_PER_PHONE)
      throw new ConcurrencyLimited('streams', MAX_STREAMS_PER_PHONE);
  }
}
