import { mongo } from 'mongoose';
import { SearchTooSlow } from './message-list.errors';

export const SEARCH_TIMEOUT_MS = 2_000;
const MAX_TIME_EXPIRED = 50;

/** @throws SearchTooSlow instead of the error of the database after `maxTimeMS`. */
export async function withSearchTimeout<Result>(read: () => PromiseLike<Result>): Promise<Result> {
  try {
    return await read();
  } catch (failure) {
    if (failure instanceof mongo.MongoServerError && failure.code === MAX_TIME_EXPIRED) {
      throw new SearchTooSlow(SEARCH_TIMEOUT_MS);
    }
    throw failure;
  }
}
