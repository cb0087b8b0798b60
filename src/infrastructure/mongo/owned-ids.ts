import type { Types } from 'mongoose';
import { idsOf } from '../../common/documents';

/** What a document is found by on a sharded cluster. */
export interface OwnedId {
  readonly _id: Types.ObjectId;
  readonly user: Types.ObjectId;
}

/** Condition of the documents of these accounts: their shards are asked, and no others. */
export function ofAccounts(documents: readonly Pick<OwnedId, 'user'>[]) {
  // A malformed document may have any value.
  const users = [...new Map(documents.map(({ user }) => [String(user), user])).values()];
  return { user: users.length === 1 ? users[0] : { $in: users } };
}

/** Condition of these documents. */
export const byOwnedIds = (documents: readonly OwnedId[]) => ({
  ...ofAccounts(documents),
  _id: { $in: idsOf(documents) },
});
