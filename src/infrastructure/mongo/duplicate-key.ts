import { type Model, mongo } from 'mongoose';
import { retryOnce } from './retry-once';

/** Whether a write violated a unique index. */
export function isDuplicateKey(failure: unknown): boolean {
  return failure instanceof mongo.MongoServerError && failure.code === 11000;
}

/** Inserts a document. @returns false if it violates a unique index. */
export async function insertUnlessDuplicate<Stored>(
  model: Model<Stored>,
  document: Stored,
): Promise<boolean> {
  try {
    await model.insertMany([document], { lean: true });
    return true;
  } catch (failure) {
    if (isDuplicateKey(failure)) return false;
    throw failure;
  }
}

/** Retries an upsert that lost a race: of two concurrent upserts, the second can violate the unique index. */
export function upsertWithRetry<T>(write: () => Promise<T>): Promise<T> {
  return retryOnce(isDuplicateKey, write);
}
