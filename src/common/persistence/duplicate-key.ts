import { mongo } from 'mongoose';

/** Whether a write failed because a unique index already holds its key. */
export function isDuplicateKey(failure: unknown): boolean {
  return failure instanceof mongo.MongoServerError && failure.code === 11000;
}
