import type { mongo } from 'mongoose';
import type { Migration } from './migration';

const BATCH_SIZE = 500;
const MADE_BEFORE = { firstVerifiedAt: { $exists: false }, unverifiedUntil: { $exists: false } };

/**
 * Sets `firstVerifiedAt` on every account that lacks it: to `emailVerifiedAt`, else to `createdAt`. It leaves out those
 * that this version's registration has made (`unverifiedUntil`) and that are yet to be verified.
 *
 * Without the field an account counts as never verified, and such an account is removed after a day. Accounts from
 * before the field existed are not removed, verified or not: their owners may have used them all along.
 *
 * Processes of the version before may run beside this one and make accounts without the field, also after this migration
 * has run. Therefore the absence of `firstVerifiedAt` alone never removes an account. An account is removed only if
 * - this version's registration made it, which it marks by `unverifiedUntil` in the document it inserts, and
 * - `firstVerifiedAt` and `emailVerifiedAt` are both absent in the same conditional delete: a process of the version
 *   before verifies by `emailVerifiedAt` alone.
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
      await accounts.updateMany({ _id: { $in: ids }, ...MADE_BEFORE }, [
        { $set: { firstVerifiedAt: { $ifNull: ['$emailVerifiedAt', '$createdAt'] } } },
      ]);
      after = ids.at(-1);
      if (ids.length < BATCH_SIZE) return;
    }
  },
};
