import { type Collection, type Model, mongo } from 'mongoose';
import { isUnconfirmedWrite } from '../../common/database-outage';
import { retryOnce } from '../../common/retry-once';

const DUPLICATE_KEY = 11000;

/** Whether a write violated a unique index. */
export function isDuplicateKey(failure: unknown): boolean {
  return failure instanceof mongo.MongoServerError && failure.code === DUPLICATE_KEY;
}

/** @returns what the write returns, or `instead` if it violates a unique index. */
export async function ifDuplicate<Result, const Instead>(
  instead: Instead,
  write: () => Promise<Result>,
): Promise<Result | Instead> {
  try {
    return await write();
  } catch (failure) {
    if (isDuplicateKey(failure)) return instead;
    throw failure;
  }
}

/** Inserts a document. @returns false if it violates a unique index. */
export function insertUnlessDuplicate<Stored>(model: Model<Stored>, document: Stored): Promise<boolean> {
  return ifDuplicate(false, async () => {
    await model.insertMany([document], { lean: true });
    return true;
  });
}

/** Retries an upsert that lost a race: of two concurrent upserts, the second can violate the unique index. */
export function upsertWithRetry<T>(write: () => Promise<T>): Promise<T> {
  return retryOnce(isDuplicateKey, write);
}

/** Writes documents in one command, without those that violate a unique index. */
export async function writeUnlessDuplicate(
  collection: Collection,
  writes: readonly { readonly updateOne: object }[],
): Promise<void> {
  if (writes.length === 0) return;
  try {
    await collection.bulkWrite(writes as mongo.AnyBulkWriteOperation[], { ordered: false });
  } catch (failure) {
    const errors = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    const isKnown = errors.length > 0 && errors.every(({ code }) => code === DUPLICATE_KEY);
    if (!isKnown || isUnconfirmedWrite(failure)) throw failure;
  }
}
