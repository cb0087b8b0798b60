import { mongo } from 'mongoose';

/** MongoDB error codes: the collection or the index does not exist. */
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

/** For migrations: drops an index that no version in use declares. Does nothing if it or its collection does not exist. */
export async function dropIndex(db: mongo.Db, collection: string, name: string): Promise<void> {
  try {
    await db.collection(collection).dropIndex(name);
  } catch (failure) {
    const code = failure instanceof mongo.MongoServerError ? failure.code : undefined;
    if (code !== INDEX_NOT_FOUND && code !== NAMESPACE_NOT_FOUND) throw failure;
  }
}
