import { mongo } from 'mongoose';
import { countHours, countsByDay, type HourCount, sumOf } from '../maintenance/rollups/counts';
import { closableUntil } from '../maintenance/rollups/periods';
import type { Totals } from '../maintenance/rollups/totals.schema';

type Direction = 'sent' | 'received';
type Base = Record<Direction, number>;

/** A device as earlier versions counted it. */
interface CountedDevice {
  readonly _id: mongo.ObjectId;
  readonly sentSMSCount: number;
  readonly receivedSMSCount: number;
  /** The part that belongs to removed messages. */
  readonly removed?: Base & { readonly chunk: mongo.ObjectId };
  /** The time of the database. */
  readonly now: Date;
}

const EPOCH = new Date(0);
const PERIOD_SECONDS = 60;
const DEVICE_FIELDS = { sentSMSCount: 1, receivedSMSCount: 1, removed: 1, now: '$$NOW' } as const;
const DEVICE_INDEX = { user: 1, device: 1, createdAt: -1, _id: -1 } as const;

/**
 * Creates missing totals of an account and its devices. They start with what earlier versions counted, and with the stored
 * messages whose periods are over. Concurrent calls each compute complete totals, and the first to store them wins.
 */
export async function createMissingTotals(db: mongo.Db, user: mongo.ObjectId): Promise<void> {
  const totals = db.collection<Totals>('totals');
  for (;;) {
    const devices = await listDevices(db, user);
    const stored = await totals.find({ user }, { projection: { _id: 1 } }).toArray();
    const isStored = (owner: mongo.ObjectId) => stored.some(({ _id }) => _id.equals(owner));
    const missing = isStored(user) ? devices.filter(({ _id }) => !isStored(_id)) : devices;
    const [first] = missing;
    if (!first) return;
    const through = closableUntil(first.now, PERIOD_SECONDS);
    const condition = { user, device: { $in: missing.map(({ _id }) => _id) } };
    const span = { from: EPOCH, to: through };
    const counts = await countHours(db.collection('messages'), condition, span, DEVICE_INDEX);
    const bases: Base[] = [];
    for (const device of missing) bases.push(await baseOf(db, user, device));
    if (await hasRemovedSince(db, user, missing)) continue;
    const initial = (_id: mongo.ObjectId, own: readonly HourCount[], base: readonly Base[]): Totals => ({
      _id,
      user,
      through,
      sent: sumOf(own, 'sent') + base.reduce((sum, { sent }) => sum + sent, 0),
      received: sumOf(own, 'received') + base.reduce((sum, { received }) => sum + received, 0),
      days: countsByDay(own),
    });
    const created = missing.map(({ _id }, index) => {
      const own = counts.filter(({ device }) => device.equals(_id));
      return initial(_id, own, bases.slice(index, index + 1));
    });
    if (!isStored(user)) created.push(initial(user, counts, bases));
    await insertMissing(totals, created);
    return;
  }
}

function listDevices(db: mongo.Db, user: mongo.ObjectId): Promise<CountedDevice[]> {
  const pipeline = [{ $match: { user } }, { $project: DEVICE_FIELDS }];
  return db.collection('devices').aggregate<CountedDevice>(pipeline).toArray();
}

/** What was counted for a device and no stored message shows: removed messages. */
async function baseOf(db: mongo.Db, user: mongo.ObjectId, device: CountedDevice): Promise<Base> {
  const { _id, sentSMSCount, receivedSMSCount, removed } = device;
  const base = async (direction: Direction, counter: number): Promise<number> => {
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
  return { sent: await base('sent', sentSMSCount), received: await base('received', receivedSMSCount) };
}

/** Whether an earlier version has removed messages of these devices since they were read. */
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

async function insertMissing(totals: mongo.Collection<Totals>, created: Totals[]): Promise<void> {
  try {
    await totals.insertMany(created, { ordered: false });
  } catch (failure) {
    if (!(failure instanceof mongo.MongoBulkWriteError) || failure.code !== 11000) throw failure;
  }
}
