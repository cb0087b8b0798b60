import type { Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import type { OwnedId } from './owned-ids';

interface OwnedKey {
  readonly user: Types.ObjectId;
  readonly id: Types.ObjectId;
}

/** Several pools of 100 SIMs. */
const MAX_BATCH_SIZE = 1_000;

const textOf = ({ user, id }: OwnedKey): string => `${user.toHexString()} ${id.toHexString()}`;

/** Loads documents of accounts by id; concurrent reads share a query. Callers share the documents and must not change them. */
export class OwnedLoader<Document extends OwnedId> {
  private readonly loader: CoalescedLoader<OwnedKey, Document>;

  /** @param read finds documents of all accounts by id. */
  constructor(read: (ids: readonly Types.ObjectId[]) => Promise<Document[]>) {
    this.loader = new CoalescedLoader<OwnedKey, Document>(
      textOf,
      async (keys) => {
        const found = await read(keys.map(({ id }) => id));
        // The key includes the account, so that a caller never gets another account's document.
        return new Map(
          found.map((document) => [textOf({ user: document.user, id: document._id }), document]),
        );
      },
      MAX_BATCH_SIZE,
    );
  }

  /** @returns null if the account has no such document. */
  load({ user }: Pick<OwnedId, 'user'>, id: Types.ObjectId): Promise<Document | null> {
    return this.loader.load({ user, id });
  }

  /** @returns those that the account has, in the order of the ids. */
  loadMany({ user }: Pick<OwnedId, 'user'>, ids: readonly Types.ObjectId[]): Promise<Document[]> {
    return this.loader.loadMany(ids.map((id) => ({ user, id })));
  }
}
