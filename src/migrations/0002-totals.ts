import { mongo } from 'mongoose';
import type { Migration } from './migration';
import { pagesOf } from './pages';

const BATCH_SIZE = 20;
const NEVER = new Date('9999-01-01');
const EPOCH = new Date(0);
const DEVICE_INDEX = { user: 1, device: 1, createdAt: -1, _id: -1 } as const;

/** The jobs of version 1.0, which this version neither reads nor runs. */
const PREVIOUS_JOBS_COLLECTION = 'rounds';

/** Those that correct counters and remove records. */
const RETIRED_JOBS = [
  'recount:device-totals',
  'recount:usage',
  'recount:webhook-totals',
  'retention:messages',
  'retention:deliveries',
];

type Direction = 'sent' | 'received';
type Counts = Readonly<Record<Direction, number>>;

/** A device as version 1.0 counted it. */
interface CountedDevice {
  readonly _id: mongo.ObjectId;
  readonly sentSMSCount: number;
  readonly receivedSMSCount: number;
  /** The part that belongs to removed messages. */
  readonly removed?: Counts & { readonly chunk: mongo.ObjectId };
}

/**
 * Starts the totals of all accounts and devices with the messages that version 1.0 has counted and removed. Those that are
 * stored follow when their periods are closed, which maintenance does once this migration has finished. Before, it postpones
 * forever the jobs of the previous version that would change counters or remove messages.
 */
export const totals: Migration = {
  name: '0002-totals',
  async run({ db, checkpoint }) {
    const jobs = db.collection<{ _id: string }>(PREVIOUS_JOBS_COLLECTION);
    for (const _id of RETIRED_JOBS)
      await jobs.updateOne({ _id }, { $set: { dueAt: NEVER } }, { upsert: true });
    for await (const page of pagesOf(db, 'accounts', BATCH_SIZE)) {
      for (const { _id } of page) {
        checkpoint();
        await startTotals(db, _id);
      }
    }
  },
};

async function startTotals(db: mongo.Db, user: mongo.ObjectId): Promise<void> {
  const stored = db.collection('totals');
  const start = (_id: mongo.ObjectId, counts: Counts) =>
    stored.updateOne({ _id }, { $setOnInsert: { user, through: EPOCH, ...counts } }, { upsert: true });
  const ofAccount = { sent: 0, received: 0 };
  for (const device of await db.collection<CountedDevice>('devices').find({ user }).toArray()) {
    await start(device._id, await countRemoved(db, user, device));
    // The same when it is repeated after an interruption.
    const started = await stored.findOne<Counts>({ _id: device._id });
    ofAccount.sent += started?.sent ?? 0;
    ofAccount.received += started?.received ?? 0;
  }
  await start(user, ofAccount);
}

/** Counts what version 1.0 counted for a device and no stored message shows. */
async function countRemoved(db: mongo.Db, user: mongo.ObjectId, device: CountedDevice): Promise<Counts> {
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
