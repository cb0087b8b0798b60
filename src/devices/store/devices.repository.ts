import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { CoalescedLoader, coalescedWrites, Coalescer, latestOf } from '../../common/coalescer';
import { groupBy, groupsOf } from '../../common/group-by';
import { sum } from '../../common/sum';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import type { ConnectionState } from '../states/connection-state';
import { DeviceChanges } from './device-attributes';
import { hasMissedHeartbeats } from './missed-heartbeats';
import { OwnedLoader } from '../../infrastructure/mongo/owned-loader';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { Device } from './device.schema';
import { booked, bookedExpressions, type PhonePaceState } from '../pace/phone-pace';
import { drawExpression } from '../pace/token-bucket';

const NOT_DELETED = { deletedAt: { $exists: false } };

/** The fields of a device in message responses. */
export type DeviceSummary = Pick<
  Device,
  '_id' | 'enabled' | 'name' | 'brand' | 'model' | 'buildId' | 'deletedAt' | 'deletesMessages'
>;

const SUMMARY_FIELDS = {
  enabled: 1,
  name: 1,
  brand: 1,
  model: 1,
  buildId: 1,
  deletedAt: 1,
  deletesMessages: 1,
} as const;

export type DeviceState = Pick<
  Device,
  '_id' | 'enabled' | 'pushTransport' | 'deletedAt' | 'replacedBy' | 'stream'
>;

const STATE_FIELDS = { enabled: 1, pushTransport: 1, deletedAt: 1, replacedBy: 1, stream: 1 } as const;

export type DeviceLabel = Pick<Device, '_id' | 'brand' | 'model' | 'name'>;

/** Whose switch of a device it is: both must be on. */
export type SwitchOf = 'owner' | 'phone';

interface PaceDraw {
  readonly id: Types.ObjectId;
  readonly drawnMs: number;
  readonly now: Date;
}

interface HandedOverDraw extends PaceDraw {
  readonly isWave: boolean;
}

/** Each has up to `MAX_DEVICES_PER_ACCOUNT` devices, 100 by default, and its deleted ones. */
const MAX_ACCOUNTS_PER_READ = 16;

/** Instead of a second command after the first hundred documents. */
const CURSOR_BATCH_SIZE = 2_000;

const tokenRemoval = (now: Date) =>
  ({
    $unset: { fcmToken: 1 },
    $set: { updatedAt: now, pushTokenMissingSince: now },
    $min: { connectionCheckAt: now },
  }) as const;

@Injectable()
export class DevicesRepository {
  private readonly loader = new OwnedLoader((ids) => this.readMany(ids));
  private readonly summaries = new CoalescedLoader(
    String,
    (users: readonly Types.ObjectId[]) => this.readSummaries(users),
    MAX_ACCOUNTS_PER_READ,
  );
  private readonly counts = new CoalescedLoader(String, (users: readonly Types.ObjectId[]) =>
    this.countOfAccounts(users),
  );
  private readonly paceCoalescer = coalescedWrites<HandedOverDraw>((draws) => this.writePace(draws));
  private readonly bookingCoalescer = new Coalescer((bookings: readonly PaceDraw[]) =>
    this.writeBookings(bookings),
  );

  constructor(
    @InjectModel(Device.name) private readonly devices: Model<Device>,
    private readonly hints: LiveHints,
  ) {}

  list(account: AccountScope): Promise<Device[]> {
    return this.devices
      .find({ user: account.user, ...NOT_DELETED })
      .sort({ createdAt: 1, _id: 1 })
      .lean<Device[]>();
  }

  /** The SIMs that the devices of an account reported last. */
  listReportedSims(account: AccountScope): Promise<Pick<Device, '_id' | 'simInfo'>[]> {
    return this.devices
      .find({ user: account.user, ...NOT_DELETED }, { simInfo: 1 })
      .lean<Pick<Device, '_id' | 'simInfo'>[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<Device | null> {
    return this.loader.load(account, id);
  }

  /** Finds devices by id, without deleted ones. */
  findExisting(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Device[]> {
    return this.loader.loadMany(account, ids);
  }

  /** Finds devices by id, including deleted ones. */
  findMany(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Device[]> {
    return this.devices.find({ _id: { $in: ids }, user: account.user }).lean<Device[]>();
  }

  /** Finds the labels of devices by id, including deleted ones. */
  findLabels(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<DeviceLabel[]> {
    return this.devices
      .find({ _id: { $in: ids }, user: account.user }, { brand: 1, model: 1, name: 1 })
      .lean<DeviceLabel[]>();
  }

  /** Finds all devices of the account, or those with these ids, including deleted ones. */
  async findForMessages(
    { user }: AccountScope,
    ids?: readonly Types.ObjectId[],
  ): Promise<readonly DeviceSummary[]> {
    if (!ids) return (await this.summaries.load(user)) ?? [];
    return this.devices.find({ user, _id: { $in: ids } }, SUMMARY_FIELDS).lean<DeviceSummary[]>();
  }

  /** The numbers of devices of several accounts, by account id in hexadecimal; without deleted ones. */
  async countOfAccounts(users: readonly Types.ObjectId[]): Promise<Map<string, number>> {
    const found = await this.devices.aggregate<{ _id: Types.ObjectId; count: number }>([
      { $match: { user: { $in: users }, ...NOT_DELETED } },
      { $group: { _id: '$user', count: { $sum: 1 } } },
    ]);
    return new Map(found.map(({ _id, count }) => [_id.toHexString(), count]));
  }

  /** The countries of the SIMs of all devices of the account, including deleted ones, as the phones reported them. */
  async listSimCountries(account: AccountScope): Promise<string[]> {
    const found = await this.devices
      .find({ user: account.user }, { 'simInfo.sims.countryIso': 1 })
      .lean<Pick<Device, 'simInfo'>[]>();
    const sims = found.flatMap(({ simInfo }) => simInfo?.sims ?? []);
    return [...new Set(sims.flatMap(({ countryIso }) => countryIso ?? []))];
  }

  /** Lists enabled devices, most recent heartbeat first. */
  listEnabledByHeartbeat(account: AccountScope): Promise<Device[]> {
    return this.devices
      .find({ user: account.user, enabled: true, ...NOT_DELETED })
      .sort({ lastHeartbeat: -1, createdAt: 1 })
      .lean<Device[]>();
  }

  /** @returns false if another device holds the serial or the push token. */
  async insert(device: Device): Promise<boolean> {
    const isInserted = await insertUnlessDuplicate(this.devices, device);
    if (isInserted) this.hints.publish(device, 'device', [device._id]);
    return isInserted;
  }

  /**
   * Sets and unsets fields.
   * @returns the updated device, null if the account has no such device, `conflict` if another device holds the serial or
   * the push token.
   */
  update(
    account: AccountScope,
    id: Types.ObjectId,
    { set, unset = [] }: { readonly set: DeviceChanges; readonly unset?: readonly string[] },
    now: Date,
  ): Promise<Device | null | 'conflict'> {
    return ifDuplicate('conflict', async () => {
      const updated = await this.devices
        .findOneAndUpdate(
          { _id: id, user: account.user, ...NOT_DELETED },
          {
            $set: { ...set, updatedAt: now },
            ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, 1])) }),
          },
          { returnDocument: 'after' },
        )
        .lean<Device>();
      this.hints.publish(account, 'device', [id]);
      return updated;
    });
  }

  /** Sets the switch of the owner or of the phone. @returns false if the account has no such device. */
  async setEnabled(
    account: AccountScope,
    id: Types.ObjectId,
    by: SwitchOf,
    isOn: boolean,
    now: Date,
  ): Promise<boolean> {
    const byOwner = by === 'owner' ? isOn : { $ifNull: ['$enabledByOwner', '$enabled'] };
    const byPhone = by === 'phone' ? isOn : { $ifNull: ['$enabledByPhone', true] };
    const switches = { enabledByOwner: byOwner, enabledByPhone: byPhone };
    const result = await this.devices.updateOne(
      { _id: id, user: account.user, ...NOT_DELETED },
      [{ $set: { ...switches, enabled: { $and: [byOwner, byPhone] }, updatedAt: now } }],
      { updatePipeline: true },
    );
    this.hints.publish(account, 'device', [id]);
    return result.matchedCount === 1;
  }

  /**
   * Stores that a device lost its push token, or has a new one and is back, if it still does.
   * @returns the updated device; null if its token changed meanwhile.
   */
  setTokenMissing(
    account: AccountScope,
    { _id, fcmToken }: Pick<Device, '_id' | 'fcmToken'>,
    isMissing: boolean,
    now: Date,
  ): Promise<Device | null> {
    return this.devices
      .findOneAndUpdate(
        { _id, user: account.user, fcmToken: fcmToken ?? { $exists: false } },
        {
          $set: {
            connectionCheckAt: now,
            ...(isMissing ? { pushTokenMissingSince: now } : { onlineSince: now }),
          },
          ...(!isMissing && { $unset: { pushTokenMissingSince: 1 } }),
        },
        { returnDocument: 'after' },
      )
      .lean<Device>();
  }

  /** Sets the Android version unless the phone has reported it. */
  async setInferredOsVersion(
    account: AccountScope,
    id: Types.ObjectId,
    inferred: Pick<Device, 'osVersion' | 'osVersionSource'>,
  ): Promise<void> {
    await this.devices.updateOne(
      { _id: id, user: account.user, osVersionSource: { $ne: 'reported' } },
      { $set: inferred },
    );
  }

  /**
   * Removes a push token from the device that holds it, if that device belongs to the same account, has the same serial,
   * or has missed two heartbeats.
   * @param target.keeper the device that the token is for.
   * @param target.serial the serial of that device, if known.
   * @returns whether a device lost the token.
   */
  async releaseToken(
    account: AccountScope,
    fcmToken: string,
    { keeper, serial }: { readonly keeper?: Types.ObjectId; readonly serial?: string },
    now: Date,
  ): Promise<boolean> {
    // Before the first heartbeat, the last update counts.
    const hasMissed = { $expr: hasMissedHeartbeats({ $ifNull: ['$lastHeartbeat', '$updatedAt'] }, now) };
    const result = await this.devices.updateOne(
      {
        fcmToken,
        ...(keeper && { _id: { $ne: keeper } }),
        $or: [{ user: account.user }, ...(serial === undefined ? [] : [{ serial }]), hasMissed],
      },
      tokenRemoval(now),
    );
    return result.modifiedCount === 1;
  }

  /** Whether another device of the account has the serial. */
  async isSerialHeldByOther(
    account: AccountScope,
    serial: string,
    exceptId: Types.ObjectId,
  ): Promise<boolean> {
    return (await this.devices.exists({ user: account.user, serial, _id: { $ne: exceptId } })) !== null;
  }

  /** Whether another device, of any account, holds the push token. */
  async isTokenHeldByOther(fcmToken: string, exceptId: Types.ObjectId): Promise<boolean> {
    return (await this.devices.exists({ fcmToken, _id: { $ne: exceptId } })) !== null;
  }

  /** Removes a token that FCM rejected, unless the phone has reported a newer one in the meantime. */
  async removeRejectedToken(
    account: AccountScope,
    id: Types.ObjectId,
    refused: string,
    now: Date,
  ): Promise<void> {
    await this.devices.updateOne({ _id: id, user: account.user, fcmToken: refused }, tokenRemoval(now));
    this.hints.publish(account, 'device', [id]);
  }

  /**
   * Starts or ends the draining of a device; repeated calls change nothing.
   * @returns the device as it is then; null if the account has no such device.
   */
  async setDraining(
    account: AccountScope,
    id: Types.ObjectId,
    isDraining: boolean,
    now: Date,
  ): Promise<Device | null> {
    const device = { _id: id, user: account.user, ...NOT_DELETED };
    await this.devices.updateOne(
      { ...device, drainingSince: { $exists: !isDraining } },
      isDraining
        ? { $set: { drainingSince: now, updatedAt: now } }
        : { $unset: { drainingSince: 1 }, $set: { updatedAt: now } },
    );
    this.hints.publish(account, 'device', [id]);
    return this.devices.findOne(device).lean<Device>();
  }

  async markAllDeleted(account: AccountScope, now: Date): Promise<void> {
    await this.devices.updateMany(
      { user: account.user, ...NOT_DELETED },
      { $set: { deletedAt: now, enabled: false, updatedAt: now }, $unset: { serial: 1, fcmToken: 1 } },
    );
  }

  /** @returns false if there is no such device. */
  async markDeleted(
    account: AccountScope,
    id: Types.ObjectId,
    now: Date,
    { deletesMessages = false, replacedBy }: Pick<Device, 'deletesMessages' | 'replacedBy'>,
  ): Promise<boolean> {
    const result = await this.devices.updateOne(
      { _id: id, user: account.user, ...NOT_DELETED },
      {
        $set: {
          deletedAt: now,
          enabled: false,
          withdrawDueAt: now,
          updatedAt: now,
          ...(deletesMessages && { deletesMessages }),
          ...(replacedBy && { replacedBy }),
        },
        $unset: { serial: 1, fcmToken: 1 },
      },
    );
    this.hints.publish(account, 'device', [id]);
    return result.matchedCount > 0;
  }

  /** The devices that were deleted with their messages. */
  async listDeletedWithMessages(account: AccountScope): Promise<Types.ObjectId[]> {
    const found = await this.devices.find({ user: account.user, deletesMessages: true }, { _id: 1 }).lean();
    return found.map(({ _id }) => _id);
  }

  /** Records that an incoming message was ignored, unless one was `since` then. */
  async recordIgnoredSms(account: AccountScope, id: Types.ObjectId, since: Date, now: Date): Promise<void> {
    const { modifiedCount } = await this.devices.updateOne(
      { _id: id, user: account.user, lastIgnoredSmsAt: { $not: { $gt: since } } },
      { $set: { lastIgnoredSmsAt: now } },
    );
    if (modifiedCount > 0) this.hints.publish(account, 'device', [id]);
  }

  /**
   * Adds time to that for which the phone is occupied, or takes it back.
   * @param options.isWave whether it was handed a wave of a large send, for which small sends do not wait.
   */
  async drawPace(
    id: Types.ObjectId,
    drawnMs: number,
    now: Date,
    { isWave }: { readonly isWave: boolean },
  ): Promise<void> {
    await this.paceCoalescer.submit({ id, drawnMs, now, isWave });
  }

  /** Books time of the phone for a small send, see `booked`. @returns its state before; empty if it was deleted. */
  bookPace(id: Types.ObjectId, bookedMs: number, now: Date): Promise<PhonePaceState> {
    return this.bookingCoalescer.submit({ id, drawnMs: bookedMs, now });
  }

  /** Counts the devices of an account, without deleted ones. */
  async count({ user }: AccountScope): Promise<number> {
    return (await this.counts.load(user)) ?? 0;
  }

  /** Counts enabled devices of all accounts with a last heartbeat after `after` and up to `upTo`, up to `limit`. */
  countByLastHeartbeat({ after, upTo }: { after: Date; upTo: Date }, limit: number): Promise<number> {
    return this.devices.countDocuments(
      { enabled: true, lastHeartbeat: { $gt: after, $lte: upTo } },
      { limit },
    );
  }

  /** Counts enabled devices of all accounts without any heartbeat, up to `limit`. */
  countWithoutHeartbeat(limit: number): Promise<number> {
    return this.devices.countDocuments({ enabled: true, lastHeartbeat: null }, { limit });
  }

  /** Counts enabled devices of all accounts by the state of their last check, up to `limit`. */
  countByConnection(announcedState: ConnectionState, limit: number): Promise<number> {
    return this.devices.countDocuments({ enabled: true, announcedState }, { limit });
  }

  /** Lists devices of all accounts whose heartbeat check is due, oldest first. */
  listHeartbeatCheckDue(now: Date, limit: number): Promise<Device[]> {
    return this.devices
      .find({ enabled: true, heartbeatEnabled: true, probeDueAt: { $lte: now } })
      .sort({ probeDueAt: 1 })
      .limit(limit)
      .lean<Device[]>();
  }

  /**
   * Schedules the next heartbeat check.
   * @returns true for only one of several concurrent callers.
   */
  async rescheduleHeartbeatCheck(device: Device, dueAt: Date): Promise<boolean> {
    const { _id, user, probeDueAt } = device;
    const result = await this.devices.updateOne(
      { _id, user, enabled: true, heartbeatEnabled: true, probeDueAt },
      { $set: { probeDueAt: dueAt } },
    );
    return result.modifiedCount === 1;
  }

  /** Lists deleted devices of all accounts whose unfinished messages are due to be ended, oldest first. */
  listUnfinishedDue(now: Date, limit: number): Promise<Device[]> {
    return this.devices
      .find({ withdrawDueAt: atOrBefore(now) })
      .sort({ withdrawDueAt: 1 })
      .limit(limit)
      .lean<Device[]>();
  }

  /** Schedules the next check for unfinished messages of a deleted device; undefined ends the checks. */
  async setUnfinishedDue({ _id, user }: Device, dueAt: Date | undefined): Promise<void> {
    await this.devices.updateOne(
      { _id, user },
      dueAt ? { $set: { withdrawDueAt: dueAt } } : { $unset: { withdrawDueAt: 1 } },
    );
  }

  /** Finds the dispatch state of devices of all accounts, by id. */
  async findStates(ids: readonly Types.ObjectId[]): Promise<Map<string, DeviceState>> {
    const found = await this.devices
      .find({ _id: { $in: ids } }, STATE_FIELDS)
      .batchSize(CURSOR_BATCH_SIZE)
      .lean<DeviceState[]>();
    return new Map(found.map((device) => [device._id.toHexString(), device]));
  }

  private readMany(ids: readonly Types.ObjectId[]): Promise<Device[]> {
    return this.devices.find({ _id: { $in: ids }, ...NOT_DELETED }).lean<Device[]>();
  }

  /** All devices of these accounts, by account id in hexadecimal; including deleted ones. */
  private async readSummaries(
    users: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, readonly DeviceSummary[]>> {
    const found = await this.devices
      .find({ user: { $in: users } }, { ...SUMMARY_FIELDS, user: 1 })
      .batchSize(CURSOR_BATCH_SIZE)
      .lean<(DeviceSummary & Pick<Device, 'user'>)[]>();
    return groupBy(found, ({ user }) => user.toHexString());
  }

  private async writePace(draws: readonly HandedOverDraw[]): Promise<void> {
    const byDevice = groupsOf(draws, ({ id }) => id.toHexString());
    const now = latestOf(draws).now.getTime();
    const drawnMs = (counts: (draw: HandedOverDraw) => boolean) =>
      valuePerDocument(
        byDevice,
        ([{ id }]) => id,
        (ofDevice) => sum(ofDevice.filter(counts), (draw) => draw.drawnMs),
      );
    const isOfSmallSend = ({ isWave }: HandedOverDraw) => !isWave;
    const fields = {
      pacedUntil: drawExpression(
        '$pacedUntil',
        drawnMs(() => true),
        now,
      ),
      ...(draws.some(isOfSmallSend) && {
        smallSendsPacedUntil: drawExpression('$smallSendsPacedUntil', drawnMs(isOfSmallSend), now),
      }),
    };
    await this.devices.updateMany({ _id: { $in: byDevice.map(([{ id }]) => id) } }, [{ $set: fields }], {
      updatePipeline: true,
    });
  }

  /** One update for each phone, and in each the bookings one after the other. */
  private async writeBookings(bookings: readonly PaceDraw[]): Promise<readonly PhonePaceState[]> {
    const now = latestOf(bookings).now.getTime();
    const states = new Map<PaceDraw, PhonePaceState>();
    await Promise.all(
      groupsOf(bookings, ({ id }) => id.toHexString()).map(async (ofDevice) => {
        const expressions = bookedExpressions(
          sum(ofDevice, ({ drawnMs }) => drawnMs),
          now,
        );
        let state: PhonePaceState =
          (await this.devices
            .findOneAndUpdate({ _id: ofDevice[0].id }, [{ $set: expressions }], {
              updatePipeline: true,
              returnDocument: 'before',
              projection: { _id: 0, pacedUntil: 1, smallSendsPacedUntil: 1 },
            })
            .lean<PhonePaceState>()) ?? {};
        for (const booking of ofDevice) {
          states.set(booking, state);
          state = booked(state, booking.drawnMs, now);
        }
      }),
    );
    return bookings.map((booking) => states.get(booking) ?? {});
  }
}
