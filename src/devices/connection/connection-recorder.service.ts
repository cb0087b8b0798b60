import { BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { Activity } from '../../infrastructure/sweeps/activity.service';
import type { Device, ExportRequest } from '../store/device.schema';
import { comesOnline, type ConnectionFacts, RECONNECT_TIMEOUT_MS } from './connection';
import { ConnectionsRepository } from './connections.repository';
import {
  changesOf,
  mergeObservations,
  observeCall,
  type Observation,
  type PhoneCallKind,
} from './phone-calls';

const FLUSH_INTERVAL_MS = 1_000;
const BATCH_SIZE = 500;

/** A device is written at most once per interval, because phones that work at a campaign call many times a second. */
const WRITE_INTERVAL_MS = 15_000;

/**
 * Records the calls of phones and hand-overs to them, for `connectionOf`. They are stored in batches; a process that is
 * killed loses those of up to 15 s, which later calls and the hourly check make up for.
 */
@Injectable()
export class ConnectionRecorder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ConnectionRecorder.name);
  private readonly unwritten = new Map<string, Observation>();
  private readonly writtenAt = new Map<string, Date>();
  private isStopping = false;
  private flushed = Promise.resolve();

  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly activity: Activity,
    private readonly clock: Clock,
  ) {}

  /** Records a call of the phone of an existing device. */
  recordCall(deviceId: Types.ObjectId, kind: PhoneCallKind): void {
    this.observe(deviceId.toHexString(), observeCall(kind, this.clock.now()));
  }

  /** Records that a phone was handed messages, or told to fetch them: it has to answer. */
  expectAnswer(deviceId: Types.ObjectId): void {
    this.observe(deviceId.toHexString(), { handedOverAt: this.clock.now() });
  }

  /**
   * Records that a phone has opened a stream.
   * @param exportRequest made on this stream.
   * @returns the id of the stream, for `closeStream`.
   */
  async openStream(
    device: ConnectionFacts & Pick<Device, '_id' | 'user'>,
    exportRequest?: ExportRequest,
  ): Promise<Types.ObjectId> {
    const id = new Types.ObjectId();
    const openedAt = this.clock.now();
    const isBack = comesOnline(
      device,
      { ...device, stream: { id, openedAt }, lastContactAt: openedAt },
      openedAt,
    );
    await this.connections.openStream(device, { id, openedAt }, isBack, exportRequest);
    return id;
  }

  /** Records that a stream is closed; its phone is offline unless it opens another one in time. Never throws. */
  async closeStream(device: Pick<Device, '_id' | 'user'>, id: Types.ObjectId): Promise<void> {
    // The phones of a process that stops connect to another one.
    if (this.isStopping) return;
    this.activity.record();
    const now = this.clock.now();
    const checkAt = new Date(now.getTime() + RECONNECT_TIMEOUT_MS);
    try {
      await this.connections.closeStream(device, id, now, checkAt);
    } catch (failure) {
      this.logger.warn(
        `The end of a stream of device ${device._id.toHexString()} was not stored; if the phone stays away, its heartbeats or answers will be missed: ${formatError(failure)}`,
      );
    }
  }

  /** Stores what was recorded, of each device at most once in `WRITE_INTERVAL_MS`. Never throws. */
  @Interval(FLUSH_INTERVAL_MS)
  flush(): Promise<void> {
    if (this.unwritten.size > 0) {
      this.flushed = this.flushed
        .then(() => this.write())
        .catch((failure: unknown) => {
          this.logger.warn(
            `Calls of phones were not stored; the next run retries it: ${formatError(failure)}`,
          );
        });
    }
    return this.flushed;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    this.writtenAt.clear();
    await tryWithTimeout(this.flush());
  }

  private observe(key: string, observation: Observation): void {
    this.unwritten.set(key, mergeObservations(this.unwritten.get(key), observation));
  }

  private async write(): Promise<void> {
    const now = this.clock.now();
    for (const [key, at] of this.writtenAt)
      if (now.getTime() - at.getTime() >= WRITE_INTERVAL_MS) this.writtenAt.delete(key);
    const due = [...this.unwritten.keys()].filter((key) => !this.writtenAt.has(key));
    for (let first = 0; first < due.length; first += BATCH_SIZE)
      await this.writeBatch(due.slice(first, first + BATCH_SIZE), now);
  }

  private async writeBatch(keys: readonly string[], now: Date): Promise<void> {
    const observations = new Map<string, Observation>();
    for (const key of keys) {
      const observation = this.unwritten.get(key);
      if (observation) observations.set(key, observation);
      this.unwritten.delete(key);
    }
    try {
      const devices = await this.connections.find(keys.map((key) => new Types.ObjectId(key)));
      const changes = devices.map((device) => ({
        id: device._id,
        changes: changesOf(device, observations.get(device._id.toHexString()) ?? {}),
      }));
      await this.connections.record(changes);
      for (const key of keys) this.writtenAt.set(key, now);
    } catch (failure) {
      for (const [key, observation] of observations) this.observe(key, observation);
      throw failure;
    }
  }
}
