import { type Model, mongo } from 'mongoose';

/**
 * Stores documents in one write, each for itself: one that cannot be stored keeps no other back.
 * @returns for each document nothing, or what kept it from being stored.
 */
export async function insertEach<Stored>(
  model: Model<Stored>,
  documents: readonly Stored[],
): Promise<(undefined | Error)[]> {
  try {
    await model.insertMany(documents, { lean: true, ordered: false });
    return documents.map(() => undefined);
  } catch (failure) {
    if (!(failure instanceof mongo.MongoBulkWriteError)) throw failure;
    const faults = [failure.writeErrors].flat();
    // Such as a write that was not confirmed: it is nobody's fault in particular.
    if (faults.length === 0) throw failure;
    const byIndex = new Map(faults.map((fault) => [fault.index, fault]));
    return documents.map((_, index) => {
      const fault = byIndex.get(index);
      return fault && new mongo.MongoServerError({ message: fault.errmsg, code: fault.code });
    });
  }
}
