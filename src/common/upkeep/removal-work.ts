import type { Types } from 'mongoose';
import type { Removal } from './removal.schema';

/** A kind of records that are removed when they are old, in chunks, and counted all the same. */
export interface RemovalWork {
  readonly kind: string;

  /** Days after which records are removed; 0: never. */
  readonly days: number;

  /** Accounts in the order of their ids: at most `limit` after `after`. */
  listAccounts(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]>;

  /** Records of an account that are to go, made before `before`: the oldest first, from `from` on. */
  listOld(
    user: Types.ObjectId,
    before: Date,
    from: Date,
    limit: number,
  ): Promise<readonly { readonly _id: Types.ObjectId; readonly createdAt: Date }[]>;

  /**
   * Marks those of the chunk that may still go, so that nothing changes them any more, and adds up what they add to
   * which stored base. Can run twice, and at two places at once.
   */
  tally(removal: Removal): Promise<{ readonly ids: Types.ObjectId[]; readonly tally: object }>;

  /** Writes what was tallied to the bases, once, and removes the records. Can run twice, and at two places at once. */
  apply(removal: Removal): Promise<void>;
}
