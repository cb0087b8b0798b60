import { mongo } from 'mongoose';
import { retryOnce } from './retry-once';

/** Whether a write violated a unique index. */
export function isDuplicateKey(failure: unknown): boolean {
  return failure instanceof mongo.MongoServerError && failure.code === 11000;
}

/** Retries an upsert that lost a race: of two concurrent upserts, the second can violate the unique index. */
export function upsertWithRetry<T>(write: () => Promise<T>): Promise<T> {
  return retryOnce(isDuplicateKey, write);
}
