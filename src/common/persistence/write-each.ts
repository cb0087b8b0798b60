import { type Model, mongo } from 'mongoose';

/** For each of several writes nothing, or what kept it from being made. */
type Faults = (undefined | Error)[];

// Both go past Mongoose, straight to the driver: what they are given is typed and complete, and to cast it anew would
// cost more than the rest of the call.

/** Stores documents in one command, each for itself: one that cannot be stored keeps no other back. */
export function insertEach<Stored>(model: Model<Stored>, documents: readonly Stored[]): Promise<Faults> {
  return each(documents.length, () =>
    model.collection.insertMany(documents as unknown as mongo.Document[], { ordered: false }),
  );
}

/** Makes writes in one command, each for itself. */
export function writeEach<Stored>(
  model: Model<Stored>,
  writes: Parameters<Model<Stored>['bulkWrite']>[0],
): Promise<Faults> {
  return each(writes.length, () => model.collection.bulkWrite(writes, { ordered: false }));
}

async function each(count: number, write: () => Promise<unknown>): Promise<Faults> {
  const faults: Faults = Array.from({ length: count });
  try {
    await write();
  } catch (failure) {
    const found = failure instanceof mongo.MongoBulkWriteError ? [failure.writeErrors].flat() : [];
    // Without any it is nobody's fault in particular, such as an outage.
    if (found.length === 0) throw failure;
    for (const { index, errmsg: message, code } of found) {
      faults[index] = new mongo.MongoServerError({ message, code });
    }
  }
  return faults;
}
