import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type AnyBulkWriteOperation, Model, Types } from 'mongoose';
import { Batcher } from '../../common/batcher';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { Device } from '../device.schema';
import type { OperationalEntry } from '../events/operational-event';
import { CONNECTION_FIELDS } from './connection';
import type { ConnectionState } from './connection-state';
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

export interface CheckResult {
  readonly nextCheckAt: Date;
  readonly unansweredSince?: Date;
  readonly announcedState: ConnectionState;
  readonly event?: OperationalEntry;
}

/** The connections of devices of all accounts. */
@Injectable()
export class ConnectionsRepository {
  private readonly streamWrites = new Batcher((writes: readonly AnyBulkWriteOperation<Device>[]) =>
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
    streamId: Types.ObjectId,
    openedAt: Date,
    isBack: boolean,
  ): Promise<void> {
    const update = {
      $set: { stream: { id: streamId, openedAt } },
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

  /**
   * Claims enabled devices whose connection is to be checked, until `until`: then they are due again. Several processes
   * may claim the same ones.
   */
  async claimCheckDue(now: Date, until: Date, limit: number): Promise<ConnectedDevice[]> {
    const due = await this.listCheckDue(now, limit);
    if (due.length === 0) return [];
    const _id = { $in: due };
    await this.devices.updateMany(
      { _id, connectionCheckAt: { $not: { $gt: now } } },
      { $set: { connectionCheckAt: until } },
    );
    return this.devices.find({ _id, connectionCheckAt: until }, CHECKED_FIELDS).lean<ConnectedDevice[]>();
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

  private async writeStreams(writes: readonly AnyBulkWriteOperation<Device>[]): Promise<undefined[]> {
    await this.devices.bulkWrite([...writes], { ordered: false });
    return writes.map(() => undefined);
  }

  private async listCheckDue(now: Date, limit: number): Promise<Types.ObjectId[]> {
    const list = (connectionCheckAt: null | { $lte: Date }, count: number) =>
      this.devices
        .find({ enabled: true, connectionCheckAt }, { _id: 1 })
        .sort({ connectionCheckAt: 1 })
        .limit(count)
        .lean();
    const due = await list({ $lte: now }, limit);
    // Devices of earlier versions have no such time.
    const unchecked = due.length < limit ? await list(null, limit - due.length) : [];
    return [...due, ...unchecked].map(({ _id }) => _id);
  }
}
