import { type Model, mongo } from 'mongoose';

/**
 * Stores documents in one command, each for itself: one that cannot be stored keeps no other back. Goes past Mongoose,
 * straight to the driver: what it is given is typed and complete, and to cast it anew would cost more than the rest.
 * @returns for each document nothing, or what kept it from being stored.
 * @throws what kept all of them, such as an outage.
 */
export async function insertEach<Stored>(
  model: Model<Stored>,
  documents: readonly Stored[],
): Promise<(undefined | Error)[]> {
  const faults: (undefined | Error)[] = Array.from({ length: documents.length });
  try {
    await model.collection.insertMany(documents as unknown as mongo.Document[], { ordered: false });
  } catch (failure) {
    const found = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    // Without any it is nobody's fault in particular.
    if (found.length === 0) throw failure;
    for (const { index, errmsg: message, code } of found) {
      faults[index] = new mongo.MongoServerError({ message, code });
    }
  }
  return faults;
}
