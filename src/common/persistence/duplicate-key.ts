import { mongo } from 'mongoose';
import { repeatedOnce } from './repeated-once';

/** Whether a write failed because a unique index already holds its key. */
export function isDuplicateKey(failure: unknown): boolean {
  return failure instanceof mongo.MongoServerError && failure.code === 11000;
}

/**
 * Makes an upsert. Of two at once that both found nothing the later one can fail on the unique index: it is made again,
 * and finds what there is now.
 */
export function upsertSafely<T>(write: () => Promise<T>): Promise<T> {
  return repeatedOnce(isDuplicateKey, write);
}
