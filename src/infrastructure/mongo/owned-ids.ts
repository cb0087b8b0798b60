import { Types } from 'mongoose';
import { idsOf } from '../../common/documents';

/** What a document is found by on a sharded cluster. */
export interface OwnedId {
  readonly _id: Types.ObjectId;
  readonly user: Types.ObjectId;
}

/** Condition of the documents of these accounts: their shards are asked, and no others. */
export function ofAccounts(documents: readonly Pick<OwnedId, 'user'>[]) {
  const users = distinctUsers(documents);
  return { user: users.length === 1 ? users[0] : { $in: users } };
}

/** Each account once. Documents of one account mostly follow each other, and to compare two ids is cheaper than to format them. */
function distinctUsers(documents: readonly Pick<OwnedId, 'user'>[]): Types.ObjectId[] {
  const users = new Map<string, Types.ObjectId>();
  let last: Types.ObjectId | undefined;
  for (const { user } of documents) {
    if (last && user instanceof Types.ObjectId && user.equals(last)) continue;
    // A malformed document may have any value.
    users.set(String(user), user);
    last = user instanceof Types.ObjectId ? user : undefined;
  }
  return [...users.values()];
}

/** Condition of these documents. */
export const byOwnedIds = (documents: readonly OwnedId[]) => ({
  ...ofAccounts(documents),
  _id: { $in: idsOf(documents) },
});
