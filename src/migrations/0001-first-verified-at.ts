import type { mongo } from 'mongoose';
import type { Migration } from './migration';

const BATCH_SIZE = 500;
const UNMIGRATED = { firstVerifiedAt: { $exists: false }, unverifiedUntil: { $exists: false } };

/**
 * Sets `firstVerifiedAt` to `emailVerifiedAt`, or else to `createdAt`, on accounts from before the field existed. Accounts
 * with `unverifiedUntil` are left out: they are new and removed after a day unless verified.
 *
 * Processes of the previous version may create accounts without the field even after this migration. Therefore
 * `removeUnverified` requires `unverifiedUntil`, which only this version sets, and the absence of `emailVerifiedAt`, which
 * is all that the previous version sets to verify an account.
 */
export const firstVerifiedAt: Migration = {
  name: '0001-first-verified-at',
  async run({ db, checkpoint }) {
    const accounts = db.collection('accounts');
    let after: mongo.ObjectId | undefined;
    for (;;) {
      checkpoint();
      const page = await accounts
        .find(after ? { _id: { $gt: after } } : {}, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .toArray();
      const ids = page.map(({ _id }) => _id);
      await accounts.updateMany({ _id: { $in: ids }, ...UNMIGRATED }, [
        { $set: { firstVerifiedAt: { $ifNull: ['$emailVerifiedAt', '$createdAt'] } } },
      ]);
      after = ids.at(-1);
      if (ids.length < BATCH_SIZE) return;
    }
  },
};
