import type { Migration } from './migration';
import { pagesOf } from './pages';

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
    for await (const page of pagesOf(db, 'accounts', BATCH_SIZE)) {
      checkpoint();
      const ids = page.map(({ _id }) => _id);
      await db
        .collection('accounts')
        .updateMany({ _id: { $in: ids }, ...UNMIGRATED }, [
          { $set: { firstVerifiedAt: { $ifNull: ['$emailVerifiedAt', '$createdAt'] } } },
        ]);
    }
  },
};
