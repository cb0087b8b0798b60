import { mongo } from 'mongoose';
import { byDevice, countByHour, countsByDay, type HourCount, sumOf } from './counts';
import { closableUntil } from './periods';
import type { Totals } from './totals.schema';

type Direction = 'sent' | 'received';

/** Counted messages that were removed. */
type RemovedCounts = Readonly<Record<Direction, number>>;

/** A device as version 1.0 counted it. */
interface CountedDevice {
  readonly _id: mongo.ObjectId;
  readonly sentSMSCount: number;
  readonly receivedSMSCount: number;
  /** The part that belongs to removed messages. */
  readonly removed?: RemovedCounts & { readonly chunk: mongo.ObjectId };
  /** The time of the database. */
  readonly now: Date;
}

const EPOCH = new Date(0);
const PERIOD_SECONDS = 60;
const DEVICE_FIELDS = { sentSMSCount: 1, receivedSMSCount: 1, removed: 1, now: '$$NOW' } as const;
const DEVICE_INDEX = { user: 1, device: 1, createdAt: -1, _id: -1 } as const;

/**
 * Creates the totals of an account and its devices, unless the account has some or has no device. They start with what version
 * 1.0 counted, and with the stored messages whose periods are over. Called by the migration for all accounts, and when the
 * totals of a newer account are first read or closed. Devices that are added later get their totals from `TotalsService.close`.
 *
 * The account is stored last, with a `through` that no device is behind, because `through` of the account also holds for its
 * devices. Until then nobody advances the devices, so concurrent and interrupted calls may each store some of them.
 */
export async function createInitialTotals(db: mongo.Db, user: mongo.ObjectId): Promise<void> {
  const totals = db.collection<Totals>('totals');
  for (;;) {
    const devices = await listDevices(db, user);
    const stored = await totals.find({ user }, { projection: { through: 1 } }).toArray();
    const [first] = devices;
    if (!first || stored.some(({ _id }) => _id.equals(user))) return;
    const closable = closableUntil(first.now, PERIOD_SECONDS).getTime();
    const through = new Date(Math.min(closable, ...stored.map((device) => device.through.getTime())));
    const span = { from: EPOCH, to: through };
    const counts = await countByHour(db.collection('messages'), user, span, DEVICE_INDEX);
    const removed: RemovedCounts[] = [];
    for (const device of devices) removed.push(await countRemoved(db, user, device));
    if (await hasRemovedSince(db, user, devices)) continue;
    const initial = (
      _id: mongo.ObjectId,
      own: readonly HourCount[],
      ownRemoved: readonly RemovedCounts[],
    ): Totals => ({
      _id,
      user,
      through,
      sent: sumOf(own, 'sent') + ownRemoved.reduce((sum, { sent }) => sum + sent, 0),
      received: sumOf(own, 'received') + ownRemoved.reduce((sum, { received }) => sum + received, 0),
      days: countsByDay(own),
    });
    const counted = byDevice(counts);
    await insertMissing(
      totals,
      devices.map(({ _id }, index) =>
        initial(_id, counted.get(_id.toHexString()) ?? [], removed.slice(index, index + 1)),
      ),
    );
    // Another call may have stored a device with an earlier `through`.
    if (await totals.findOne({ user, through: { $lt: through } })) continue;
    await insertMissing(totals, [initial(user, counts, removed)]);
    return;
  }
}

/** Stores totals. Those of an owner that has some already stay unchanged. */
export async function insertMissing(
  totals: mongo.Collection<Totals>,
  created: readonly Totals[],
): Promise<void> {
  if (created.length === 0) return;
  try {
    await totals.insertMany(created, { ordered: false });
  } catch (failure) {
    if (!(failure instanceof mongo.MongoBulkWriteError) || failure.code !== 11000) throw failure;
  }
}

function listDevices(db: mongo.Db, user: mongo.ObjectId): Promise<CountedDevice[]> {
  const pipeline = [{ $match: { user } }, { $project: DEVICE_FIELDS }];
  return db.collection('devices').aggregate<CountedDevice>(pipeline).toArray();
}

/** Counts what version 1.0 counted for a device and no stored message shows. */
async function countRemoved(
  db: mongo.Db,
  user: mongo.ObjectId,
  device: CountedDevice,
): Promise<RemovedCounts> {
  const { _id, sentSMSCount, receivedSMSCount, removed } = device;
  const countOf = async (direction: Direction, counter: number): Promise<number> => {
    if (counter === 0 && !removed) return 0;
    const condition = { user, device: _id, direction, countedAt: { $exists: true } };
    const count = (filter: object) =>
      db.collection('messages').countDocuments(filter, { hint: DEVICE_INDEX });
    const stored = await count(condition);
    if (!removed) return Math.max(0, counter - stored);
    // Included in `removed`, but not removed yet.
    const inRemoval = await count({ ...condition, removal: removed.chunk });
    return Math.max(removed[direction] - inRemoval, counter - stored);
  };
  return { sent: await countOf('sent', sentSMSCount), received: await countOf('received', receivedSMSCount) };
}

/** Whether version 1.0 has removed messages of these devices since they were read. */
async function hasRemovedSince(
  db: mongo.Db,
  user: mongo.ObjectId,
  read: readonly CountedDevice[],
): Promise<boolean> {
  const now = await listDevices(db, user);
  return read.some(({ _id, removed }) => {
    const current = now.find((device) => device._id.equals(_id));
    return String(current?.removed?.chunk) !== String(removed?.chunk);
  });
}
