import { mongo } from 'mongoose';
import { retryOnce } from './retry-once';

const OUTAGE_ERRORS = [
  mongo.MongoNetworkError,
  mongo.MongoServerSelectionError,
  mongo.MongoNotConnectedError,
  mongo.MongoClientClosedError,
];

/**
 * What a server answers that steps down, recovers, shuts down, or does not reach another one: the codes of
 * https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
const OUTAGE_CODES: ReadonlySet<unknown> = new Set([
  6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
]);

/** Whether the majority of the replica set has not confirmed a write in time. It may have been done. */
export function isUnconfirmedWrite(failure: unknown): failure is Error {
  if (failure instanceof mongo.MongoWriteConcernError) return true;
  // In a bulk write the driver throws the failures of its documents, if there are any, and only notes this one.
  return failure instanceof mongo.MongoBulkWriteError && Boolean(failure.result.getWriteConcernError());
}

/** Whether the database was unreachable or without a primary, the connection was lost, or a write was not confirmed. */
export function isDatabaseOutage(failure: unknown): failure is Error {
  if (isUnconfirmedWrite(failure)) return true;
  if (failure instanceof mongo.MongoServerError && OUTAGE_CODES.has(failure.code)) return true;
  // The driver wraps even a network error of a bulk write in a MongoBulkWriteError.
  const cause = failure instanceof mongo.MongoBulkWriteError ? failure.errorResponse : failure;
  return OUTAGE_ERRORS.some((error) => cause instanceof error);
}

/** Whether the database failed or was unreachable. */
export function isDatabaseError(failure: unknown): failure is Error {
  return failure instanceof mongo.MongoServerError || isDatabaseOutage(failure);
}

/**
 * Retries a write of many documents when the connection is lost, for example when a replica set elects a new primary. The
 * driver itself retries only writes of one document.
 * @param write must be idempotent.
 */
export function writeManyWithRetry<T>(write: () => Promise<T>): Promise<T> {
  return retryOnce((failure) => isDatabaseOutage(failure) && !isUnconfirmedWrite(failure), write);
}
