import type { mongo } from 'mongoose';
import type { Migration } from './migration';

const BATCH_SIZE = 100;
const EPOCH = new Date(0);
const KINDS = ['received', 'sent', 'delivered', 'failed'];

/** Totals as builds between 1.0 and 1.1 stored them. */
interface TotalsWithDays {
  readonly _id: mongo.ObjectId;
  readonly user: mongo.ObjectId;
  readonly days: Readonly<Record<string, object>>;
}

/**
 * Brings the counts by hour that builds between 1.0 and 1.1 stored, with the last days in `totals`, into the form of 1.1.
 * Maintenance, which adds to them, waits for this migration.
 */
export const dayCounts: Migration = {
  name: '0005-day-counts',
  async run({ db, checkpoint }) {
    const days = db.collection<{ _id: string }>('daycounts');
    for (;;) {
      checkpoint();
      const page = await days.find({ counts: { $exists: false } }, { limit: BATCH_SIZE }).toArray();
      if (page.length === 0) break;
      const counts = Object.fromEntries(KINDS.map((kind) => [kind, `$${kind}`]));
      await days.updateMany({ _id: { $in: page.map(({ _id }) => _id) }, counts: { $exists: false } }, [
        { $set: { through: EPOCH, counts } },
        { $unset: KINDS },
      ]);
    }
    const totals = db.collection<TotalsWithDays>('totals');
    for (;;) {
      checkpoint();
      const page = await totals.find({ days: { $exists: true } }, { limit: BATCH_SIZE }).toArray();
      if (page.length === 0) return;
      for (const { _id, user, days: ofOwner } of page) {
        for (const [day, counts] of Object.entries(ofOwner)) {
          const set = { user, through: EPOCH, counts };
          await days.updateOne({ _id: `${_id.toHexString()}:${day}` }, { $set: set }, { upsert: true });
        }
        await totals.updateOne({ _id }, { $unset: { days: 1 } });
      }
    }
  },
};
