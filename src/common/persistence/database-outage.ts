import { mongo } from 'mongoose';

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
