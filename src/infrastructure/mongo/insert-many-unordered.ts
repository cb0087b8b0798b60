import { type Model, mongo } from 'mongoose';

/**
 * Inserts documents in one command; a document that fails does not stop the others. Bypasses Mongoose, whose casting would
 * cost more than the rest: the documents are typed and complete.
 * @returns the failure of each document, or undefined.
 * @throws a failure of the whole command, such as an outage.
 */
export async function insertManyUnordered<Stored>(
  model: Model<Stored>,
  documents: readonly Stored[],
): Promise<(undefined | Error)[]> {
  const failures: (undefined | Error)[] = Array.from({ length: documents.length });
  try {
    await model.collection.insertMany(documents as unknown as mongo.Document[], { ordered: false });
  } catch (failure) {
    const writeErrors = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    if (writeErrors.length === 0) throw failure;
    for (const { index, errmsg: message, code } of writeErrors) {
      failures[index] = new mongo.MongoServerError({ message, code });
    }
  }
  return failures;
}
