import { type Model, mongo } from 'mongoose';
import { isUnconfirmedWrite } from '../../common/database-outage';

/**
 * Inserts documents in one command; a document that fails does not stop the others. Bypasses Mongoose, whose casting would
 * cost more than the rest: the documents are typed and complete.
 * @returns the failure of each document, or undefined.
 * @throws a failure of the whole command, such as an outage.
 */
export function insertManyUnordered<Stored>(
  model: Model<Stored>,
  documents: readonly Stored[],
): Promise<(undefined | Error)[]> {
  return failuresOf(documents.length, () =>
    model.collection.insertMany(documents as unknown as mongo.Document[], { ordered: false }),
  );
}

/** An update of one document: after an outage the driver repeats such updates without applying them twice. */
export interface SingleUpdate {
  readonly filter: mongo.Filter<mongo.Document>;
  readonly update: mongo.UpdateFilter<mongo.Document> | mongo.Document[];
}

/**
 * Updates documents in one command, and inserts those that are missing. Otherwise as `insertManyUnordered`.
 * @returns the failure of each update, or undefined.
 */
export function upsertManyUnordered<Stored>(
  model: Model<Stored>,
  updates: readonly SingleUpdate[],
  maxTimeMS?: number,
): Promise<(undefined | Error)[]> {
  const operations = updates.map((update) => ({ updateOne: { ...update, upsert: true } }));
  return failuresOf(updates.length, () =>
    model.collection.bulkWrite(operations, { ordered: false, maxTimeMS }),
  );
}

async function failuresOf(count: number, write: () => Promise<unknown>): Promise<(undefined | Error)[]> {
  const failures: (undefined | Error)[] = Array.from({ length: count });
  try {
    await write();
  } catch (failure) {
    const writeErrors = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    if (writeErrors.length === 0 || isUnconfirmedWrite(failure)) throw failure;
    for (const { index, errmsg: message, code } of writeErrors) {
      failures[index] = new mongo.MongoServerError({ message, code });
    }
  }
  return failures;
}
