import { mongo } from 'mongoose';
import { repeatedOnce } from './repeated-once';

const OUTAGES = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoClientClosedError,
];

/** Whether the database could not be reached, or went away meanwhile. */
export function isDatabaseOutage(failure: unknown): failure is Error {
  // A bulk write passes for an answer of the server, whatever ended it.
  const cause = failure instanceof mongo.MongoBulkWriteError ? failure.errorResponse : failure;
  return OUTAGES.some((outage) => cause instanceof outage);
}

/** Whether the database failed, for whatever reason: what was asked of it need not be at fault. */
export function isDatabaseError(failure: unknown): failure is Error {
  return failure instanceof mongo.MongoServerError || isDatabaseOutage(failure);
}

/**
 * Makes a write of many again when the connection ends under it. The driver does so itself for writes of one document, as
 * when a replica set changes its primary, and not for those of many.
 * @param write comes to the same whether it is done once or twice.
 */
export function writeManySafely<T>(write: () => Promise<T>): Promise<T> {
  return repeatedOnce(isDatabaseOutage, write);
}
