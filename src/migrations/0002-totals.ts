import type { mongo } from 'mongoose';
import { createMissingTotals } from './initial-totals';
import type { Migration } from './migration';

const BATCH_SIZE = 20;
const NEVER = new Date('9999-01-01');

/** Jobs of earlier versions that correct counters and remove records. */
const RETIRED_JOBS = [
  'recount:device-totals',
  'recount:usage',
  'recount:webhook-totals',
  'retention:messages',
  'retention:deliveries',
];

/**
 * Creates the totals of all accounts and devices from the counters of devices, and stops the jobs of the previous version
 * that would change counters or remove messages that are not part of the totals yet.
 *
 * Processes of the previous version keep counting messages, whose `countedAt` is part of the totals. Readers create
 * missing totals themselves.
 */
export const totals: Migration = {
  name: '0002-totals',
  async run({ db, checkpoint }) {
    const jobs = db.collection<{ _id: string }>('rounds');
    for (const _id of RETIRED_JOBS)
      await jobs.updateOne({ _id }, { $set: { dueAt: NEVER } }, { upsert: true });
    const accounts = db.collection('accounts');
    let after: mongo.ObjectId | undefined;
    for (;;) {
      const page = await accounts
        .find(after ? { _id: { $gt: after } } : {}, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .toArray();
      for (const { _id } of page) {
        checkpoint();
        await createMissingTotals(db, _id);
      }
      after = page.at(-1)?._id;
      if (page.length < BATCH_SIZE) return;
    }
  },
};
