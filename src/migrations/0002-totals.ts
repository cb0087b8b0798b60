import { createInitialTotals } from '../maintenance/rollups/initial-totals';
import type { Migration } from './migration';
import { pagesOf } from './pages';

const BATCH_SIZE = 20;
const NEVER = new Date('9999-01-01');

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

/**
 * Creates the totals of all accounts and devices from the counters of devices. Before, it postpones forever the jobs of the
 * previous version that would change counters or remove messages that are not part of the totals yet.
 *
 * Processes of the previous version keep counting messages, whose `countedAt` is part of the totals. Readers that come first
 * create the totals themselves.
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
        await createInitialTotals(db, _id);
      }
    }
  },
};
