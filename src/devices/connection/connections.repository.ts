import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type AnyBulkWriteOperation, Model, Types } from 'mongoose';
import { coalescedWrites } from '../../common/coalescer';
import { SECOND_MS } from '../../common/durations';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { Device, type ExportRequest, type StreamRecord } from '../store/device.schema';
import type { OperationalEntry } from '../events/operational-event';
import { CONNECTION_FIELDS } from './connection';
import type { ConnectionState } from '../states/connection-state';
import type { ConnectionChanges } from './phone-calls';

const CHECKED_FIELDS = {
  ...CONNECTION_FIELDS,
  user: 1,
  name: 1,
  brand: 1,
  model: 1,
  connectionCheckAt: 1,
  announcedState: 1,
} as const;

export type ConnectedDevice = Pick<Device, '_id' | keyof typeof CHECKED_FIELDS>;

/** Messages of a device that were claimed for its stream, and that no process has taken. */
export interface UntakenMessages {
  readonly device: Types.ObjectId;
  readonly claimedAt: Date;
}

export interface CheckResult {
  readonly nextCheckAt: Date;
  readonly unansweredSince?: Date;
  readonly announcedState: ConnectionState;
  readonly event?: OperationalEntry;
}

/** From the record of a stream until its process is subscribed, at most. */
const LISTENING_AFTER_MS = 5 * SECOND_MS;

/** The connections of devices of all accounts. */
@Injectable()
export class ConnectionsRepository {
  private readonly streamWrites = coalescedWrites((writes: readonly AnyBulkWriteOperation<Device>[]) =>
    this.writeStreams(writes),
  );

  constructor(
    @InjectModel(Device.name) private readonly devices: Model<Device>,
    private readonly hints: LiveHints,
  ) {}

  find(ids: readonly Types.ObjectId[]): Promise<ConnectedDevice[]> {
    return this.devices.find({ _id: { $in: ids } }, CHECKED_FIELDS).lean<ConnectedDevice[]>();
  }

  async record(
    changes: readonly { readonly id: Types.ObjectId; readonly changes: ConnectionChanges }[],
  ): Promise<void> {
    const writes = changes.map(({ id: _id, changes: { latest, checkAt } }) => ({
      updateOne: {
        filter: { _id },
        update: {
          ...(Object.keys(latest).length > 0 && { $max: latest }),
          ...(checkAt && { $min: { connectionCheckAt: checkAt } }),
        },
      },
    }));
    if (writes.length > 0) await this.devices.bulkWrite(writes, { ordered: false });
  }

  /** Stores that a stream was opened, in the order in which a phone opens its streams. */
  async openStream(
    { _id, user }: Pick<Device, '_id' | 'user'>,
    stream: StreamRecord,
    isBack: boolean,
    exportRequest?: ExportRequest,
  ): Promise<void> {
    const { openedAt } = stream;
    const update = {
      $set: { stream, ...(exportRequest && { exportRequest }) },
      $max: { lastContactAt: openedAt, ...(isBack && { onlineSince: openedAt }) },
      ...(isBack && { $min: { connectionCheckAt: openedAt } }),
    };
    await this.streamWrites.submit({ updateOne: { filter: { _id }, update } });
    this.hints.publish({ user }, 'device', [_id]);
  }

  /** Stores that a stream was closed, unless the phone has opened another one. */
  async closeStream(
    { _id, user }: Pick<Device, '_id' | 'user'>,
    streamId: Types.ObjectId,
    closedAt: Date,
    checkAt: Date,
  ): Promise<void> {
    const filter = { _id, 'stream.id': streamId };
    const update = { $set: { 'stream.closedAt': closedAt }, $min: { connectionCheckAt: checkAt } };
    await this.streamWrites.submit({ updateOne: { filter, update } });
    this.hints.publish({ user }, 'device', [_id]);
  }

  /** Records that no process has taken messages of these devices, unless they have opened a stream since. */
  async recordUntaken(untaken: readonly UntakenMessages[], checkAt: Date): Promise<void> {
    if (untaken.length === 0) return;
    await this.devices.bulkWrite(
      untaken.map(({ device, claimedAt }) => ({
        updateOne: {
          filter: {
            _id: device,
            'stream.openedAt': { $lt: claimedAt },
            'stream.closedAt': { $exists: false },
            'stream.untakenSince': { $exists: false },
          },
          update: { $set: { 'stream.untakenSince': claimedAt }, $min: { connectionCheckAt: checkAt } },
        },
      })),
      { ordered: false },
    );
  }

  /**
   * Those of the devices that have opened a stream since the claim, or shortly before: it may have been offered before the process
   * with the stream was listening.
   */
  async listReopened(untaken: readonly UntakenMessages[]): Promise<Types.ObjectId[]> {
    const found = await this.devices
      .find({ _id: { $in: untaken.map(({ device }) => device) } }, { stream: 1 })
      .lean<Pick<Device, '_id' | 'stream'>[]>();
    return found.flatMap(({ _id, stream }) => {
      const isReopened = ({ device, claimedAt }: UntakenMessages) =>
        device.equals(_id) &&
        stream &&
        !stream.closedAt &&
        stream.openedAt.getTime() + LISTENING_AFTER_MS >= claimedAt.getTime();
      return untaken.some(isReopened) ? [_id] : [];
    });
  }

  /** Records that the process holds these streams, although messages for them were not taken. */
  async confirmStreams(
    streams: readonly { readonly deviceId: Types.ObjectId; readonly recordId: Types.ObjectId }[],
    now: Date,
  ): Promise<void> {
    if (streams.length === 0) return;
    await this.devices.updateMany(
      {
        _id: { $in: streams.map(({ deviceId }) => deviceId) },
        'stream.id': { $in: streams.map(({ recordId }) => recordId) },
        'stream.untakenSince': { $exists: true },
      },
      { $unset: { 'stream.untakenSince': 1 }, $min: { connectionCheckAt: now } },
    );
  }

  /**
   * Claims enabled devices whose connection is to be checked, until `until`: then they are due again. Several processes
   * may claim the same ones.
   */
  async claimCheckDue(now: Date, until: Date, limit: number): Promise<ConnectedDevice[]> {
    const due = await this.devices
      .find({ enabled: true, connectionCheckAt: { $lte: now } }, { _id: 1 })
      .sort({ connectionCheckAt: 1 })
      .limit(limit)
      .lean();
    if (due.length === 0) return [];
    const _id = { $in: due.map((device) => device._id) };
    await this.devices.updateMany(
      { _id, connectionCheckAt: { $not: { $gt: now } } },
      { $set: { connectionCheckAt: until } },
    );
    return this.devices.find({ _id, connectionCheckAt: until }, CHECKED_FIELDS).lean<ConnectedDevice[]>();
  }

  /** Whether a check is due at this time. */
  async isCheckDue(time: Date): Promise<boolean> {
    return (await this.devices.exists({ enabled: true, connectionCheckAt: { $lte: time } })) !== null;
  }

  /**
   * Ends the check of a claimed device and raises its event, unless an earlier check was requested or another process
   * announced a state since: of several processes, one raises it.
   */
  async endCheck(device: ConnectedDevice, result: CheckResult): Promise<void> {
    const { _id, connectionCheckAt, announcedState: previous = null } = device;
    const { nextCheckAt, unansweredSince, announcedState, event } = result;
    await this.devices.updateOne(
      { _id, connectionCheckAt, enabled: true, announcedState: previous },
      {
        $set: {
          connectionCheckAt: nextCheckAt,
          announcedState,
          ...(unansweredSince && { unansweredSince }),
          ...(event && { relayDueAt: event.at }),
        },
        ...(event && { $push: { outbox: event } }),
      },
    );
    if (announcedState !== previous) this.hints.publish(device, 'device', [_id]);
  }

  private async writeStreams(writes: readonly AnyBulkWriteOperation<Device>[]): Promise<void> {
    await this.devices.bulkWrite([...writes], { ordered: false });
  }
}
