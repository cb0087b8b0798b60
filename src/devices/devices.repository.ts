import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering, gatheredReads, SharedWork } from '../common/gathering';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { reached } from '../common/persistence/reached';
import { DeviceChanges } from './device-facts';
import { Device } from './device.schema';

export interface DeviceTotals {
  devices: number;
  sent: number;
  received: number;
}

/** Deleted devices keep their record; nothing but the totals sees them. */
const ALIVE = { deletedAt: { $exists: false } };

/** What messages show of their device. */
export type DeviceSummary = Pick<Device, '_id' | 'enabled' | 'brand' | 'model' | 'buildId' | 'deletedAt'>;

const SUMMARY = { enabled: 1, brand: 1, model: 1, buildId: 1, deletedAt: 1 } as const;

export type DeviceState = Pick<Device, '_id' | 'enabled' | 'pushTransport' | 'deletedAt'>;

const STATE = { enabled: 1, pushTransport: 1, deletedAt: 1 } as const;

/** What people know a device by. */
export type DeviceLabel = Pick<Device, '_id' | 'brand' | 'model' | 'name'>;

interface OwnedId {
  readonly user: Types.ObjectId;
  readonly id: Types.ObjectId;
}

type DeviceCounter = 'sentSMSCount' | 'receivedSMSCount';

interface Increment extends OwnedId {
  readonly counter: DeviceCounter;
  readonly by: number;
}

/** Silent for two heartbeat intervals. One that was never heard counts from its last change. */
const isSilentAt = (now: Date) => ({
  $expr: {
    $lt: [
      { $ifNull: ['$lastHeartbeat', '$updatedAt'] },
      { $subtract: [now, { $multiply: ['$heartbeatIntervalMinutes', 2 * 60_000] }] },
    ],
  },
});

const hexOf = (id: Types.ObjectId): string => id.toHexString();
const placeOf = ({ user, id }: OwnedId): string => `${hexOf(user)} ${hexOf(id)}`;

@Injectable()
export class DevicesRepository {
  private readonly alive = gatheredReads(placeOf, (asked: readonly OwnedId[]) => this.readAlive(asked));
  private readonly summaries = new SharedWork<DeviceSummary[]>();
  private readonly increments = new Gathering((asked: readonly Increment[]) => this.increment(asked));

  constructor(@InjectModel(Device.name) private readonly devices: Model<Device>) {}

  list(account: AccountScope): Promise<Device[]> {
    return this.devices
      .find({ user: account.user, ...ALIVE })
      .sort({ createdAt: 1 })
      .lean<Device[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<Device | null> {
    return this.alive.ask({ user: account.user, id });
  }

  /** The devices with these ids, deleted ones included: messages outlive their device. */
  findMany(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<Device[]> {
    return this.devices.find({ _id: { $in: ids }, user: account.user }).lean<Device[]>();
  }

  /** What tells people the devices with these ids apart; deleted ones included. */
  findLabels(account: AccountScope, ids: readonly Types.ObjectId[]): Promise<DeviceLabel[]> {
    return this.devices
      .find({ _id: { $in: ids }, user: account.user }, { brand: 1, model: 1, name: 1 })
      .lean<DeviceLabel[]>();
  }

  /** The account's devices, or those of them with these ids, to show messages with; deleted ones included. */
  findForMessages(account: AccountScope, ids?: readonly Types.ObjectId[]): Promise<DeviceSummary[]> {
    const { user } = account;
    return this.summaries.ask([user, ...(ids ?? ['all'])].map(String).join(' '), async () =>
      this.devices.find({ user, ...(ids && { _id: { $in: ids } }) }, SUMMARY).lean<DeviceSummary[]>(),
    );
  }

  /** Those that may send, the latest heard first, those never heard last. */
  listEnabledByHeartbeat(account: AccountScope): Promise<Device[]> {
    return this.devices
      .find({ user: account.user, enabled: true, ...ALIVE })
      .sort({ lastHeartbeat: -1, createdAt: 1 })
      .lean<Device[]>();
  }

  /** @returns false when another device holds the serial or the push token. */
  async insert(device: Device): Promise<boolean> {
    try {
      await this.devices.insertMany([device], { lean: true });
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  /**
   * Writes some fields and removes others.
   * @returns the device as it is then, null when it is not on the account, `taken` when another device holds
   * the serial or the push token.
   */
  async change(
    account: AccountScope,
    id: Types.ObjectId,
    { set, unset = [] }: { readonly set: DeviceChanges; readonly unset?: readonly string[] },
    now: Date,
  ): Promise<Device | null | 'taken'> {
    try {
      return await this.devices
        .findOneAndUpdate(
          { _id: id, user: account.user, ...ALIVE },
          {
            $set: { ...set, updatedAt: now },
            ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, 1])) }),
          },
          { returnDocument: 'after' },
        )
        .lean<Device>();
    } catch (failure) {
      if (isDuplicateKey(failure)) return 'taken';
      throw failure;
    }
  }

  /** The phone's own word on its Android version is never replaced by a guess. */
  async changeOsVersionUnlessReported(
    account: AccountScope,
    id: Types.ObjectId,
    guess: Pick<Device, 'osVersion' | 'osVersionSource'>,
  ): Promise<void> {
    await this.devices.updateOne(
      { _id: id, user: account.user, osVersionSource: { $ne: 'reported' } },
      { $set: guess },
    );
  }

  /**
   * Takes a push token off the device that holds it: another device of the account, the same phone on another account
   * (by its serial), or a device of another account that has been silent for two heartbeat intervals.
   * @param for.keeper the device that the token is for.
   * @param for.serial its serial, if it is known.
   * @returns whether a device had it and lost it.
   */
  async releaseToken(
    account: AccountScope,
    fcmToken: string,
    { keeper, serial }: { readonly keeper?: Types.ObjectId; readonly serial?: string },
    now: Date,
  ): Promise<boolean> {
    const result = await this.devices.updateOne(
      {
        fcmToken,
        ...(keeper && { _id: { $ne: keeper } }),
        $or: [{ user: account.user }, ...(serial === undefined ? [] : [{ serial }]), isSilentAt(now)],
      },
      { $unset: { fcmToken: 1 }, $set: { updatedAt: now } },
    );
    return result.modifiedCount === 1;
  }

  /** Whether another device than this one holds the push token. */
  async isTokenHeld(fcmToken: string, by: Types.ObjectId): Promise<boolean> {
    return (await this.devices.exists({ fcmToken, _id: { $ne: by } })) !== null;
  }

  /** Takes the refused token off the device, unless the phone has brought a newer one meanwhile. */
  async dropToken(account: AccountScope, id: Types.ObjectId, refused: string, now: Date): Promise<void> {
    await this.devices.updateOne(
      { _id: id, user: account.user, fcmToken: refused },
      { $unset: { fcmToken: 1 }, $set: { updatedAt: now } },
    );
  }

  /** Deletes all devices of the account. */
  async markAllDeleted(account: AccountScope, now: Date): Promise<void> {
    await this.devices.updateMany(
      { user: account.user, ...ALIVE },
      { $set: { deletedAt: now, enabled: false, updatedAt: now }, $unset: { serial: 1, fcmToken: 1 } },
    );
  }

  /** @returns false when there is no such device. */
  async markDeleted(account: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.devices.updateOne(
      { _id: id, user: account.user, ...ALIVE },
      {
        $set: { deletedAt: now, enabled: false, withdrawDueAt: now, updatedAt: now },
        $unset: { serial: 1, fcmToken: 1 },
      },
    );
    return result.matchedCount > 0;
  }

  /**
   * Takes the next free stretch of the device's timeline, in one write: two campaigns on one phone never overlap.
   * @returns when it begins, or null when there is no such device.
   */
  async takeTimeline(
    account: AccountScope,
    id: Types.ObjectId,
    durationMs: number,
    now: Date,
  ): Promise<Date | null> {
    const device = await this.devices
      .findOneAndUpdate(
        { _id: id, user: account.user },
        [{ $set: { dispatchFreeAt: { $add: [{ $max: ['$dispatchFreeAt', now] }, durationMs] } } }],
        { updatePipeline: true, returnDocument: 'after', projection: { dispatchFreeAt: 1 } },
      )
      .lean<Pick<Device, 'dispatchFreeAt'>>();
    return device?.dispatchFreeAt ? new Date(device.dispatchFreeAt.getTime() - durationMs) : null;
  }

  /** Gives a stretch back, if nothing was put behind it. */
  async returnTimeline(
    account: AccountScope,
    id: Types.ObjectId,
    startAt: Date,
    durationMs: number,
  ): Promise<void> {
    await this.devices.updateOne(
      { _id: id, user: account.user, dispatchFreeAt: new Date(startAt.getTime() + durationMs) },
      { $set: { dispatchFreeAt: startAt } },
    );
  }

  async count(account: AccountScope, id: Types.ObjectId, counter: DeviceCounter, by: number): Promise<void> {
    await this.increments.ask({ user: account.user, id, counter, by });
  }

  /** What the account's devices have sent and received, deleted ones included, and how many there are. */
  async totals(account: AccountScope): Promise<DeviceTotals> {
    const [totals] = await this.devices.aggregate<DeviceTotals>([
      { $match: { user: account.user } },
      {
        $group: {
          _id: null,
          devices: { $sum: { $cond: [{ $eq: [{ $type: '$deletedAt' }, 'missing'] }, 1, 0] } },
          sent: { $sum: '$sentSMSCount' },
          received: { $sum: '$receivedSMSCount' },
        },
      },
      { $unset: '_id' },
    ]);
    return totals ?? { devices: 0, sent: 0, received: 0 };
  }

  /** How many enabled devices, of all accounts, were last heard after `after` and up to `upTo`; at most `limit`. */
  countHeard({ after, upTo }: { after: Date; upTo: Date }, limit: number): Promise<number> {
    return this.devices.countDocuments(
      { enabled: true, lastHeartbeat: { $gt: after, $lte: upTo } },
      { limit },
    );
  }

  /** How many enabled devices, of all accounts, were never heard; at most `limit`. */
  countNeverHeard(limit: number): Promise<number> {
    return this.devices.countDocuments({ enabled: true, lastHeartbeat: null }, { limit });
  }

  /** Devices to look at now for silence, the longest due first, on all accounts; deleted ones are disabled. */
  listProbeDue(now: Date, limit: number): Promise<Device[]> {
    return this.devices
      .find({ enabled: true, heartbeatEnabled: true, probeDueAt: { $lte: now } })
      .sort({ probeDueAt: 1 })
      .limit(limit)
      .lean<Device[]>();
  }

  /**
   * Sets when the device is looked at next.
   * @returns whether it was this call that moved it on from when it was due; of several callers one is told so.
   */
  async moveProbe(device: Device, dueAt: Date): Promise<boolean> {
    const { _id, user, probeDueAt } = device;
    const result = await this.devices.updateOne(
      { _id, user, enabled: true, heartbeatEnabled: true, probeDueAt },
      { $set: { probeDueAt: dueAt } },
    );
    return result.modifiedCount === 1;
  }

  /** Deleted devices, of all accounts, whose messages are to be ended now, longest due first. */
  listWithdrawDue(now: Date, limit: number): Promise<Device[]> {
    return this.devices
      .find({ withdrawDueAt: reached(now) })
      .sort({ withdrawDueAt: 1 })
      .limit(limit)
      .lean<Device[]>();
  }

  /** Sets when to look again for messages of a deleted device; undefined when that is over. */
  async setWithdrawDue({ _id, user }: Device, dueAt: Date | undefined): Promise<void> {
    await this.devices.updateOne(
      { _id, user },
      dueAt ? { $set: { withdrawDueAt: dueAt } } : { $unset: { withdrawDueAt: 1 } },
    );
  }

  /** Whether these devices, of all accounts, may be handed messages, and how; by id. Those without a record are left out. */
  async findStates(ids: readonly Types.ObjectId[]): Promise<Map<string, DeviceState>> {
    const found = await this.devices.find({ _id: { $in: ids } }, STATE).lean<DeviceState[]>();
    return new Map(found.map((device) => [hexOf(device._id), device]));
  }

  /** One update a device and counter, however many have something to add to it. */
  private async increment(asked: readonly Increment[]): Promise<undefined[]> {
    const sums = new Map<string, Increment>();
    for (const increment of asked) {
      const key = `${placeOf(increment)} ${increment.counter}`;
      sums.set(key, { ...increment, by: increment.by + (sums.get(key)?.by ?? 0) });
    }
    await this.devices.collection.bulkWrite(
      [...sums.values()].map(({ user, id, counter, by }) => ({
        updateOne: { filter: { _id: id, user }, update: { $inc: { [counter]: by } } },
      })),
      { ordered: false },
    );
    return asked.map(() => undefined);
  }

  private async readAlive(asked: readonly OwnedId[]): Promise<Map<string, Device>> {
    const found = await this.devices
      .find({ _id: { $in: asked.map(({ id }) => id) }, ...ALIVE })
      .lean<Device[]>();
    // By the account as well: nobody is given another's device.
    return new Map(found.map((device) => [placeOf({ user: device.user, id: device._id }), device]));
  }
}
