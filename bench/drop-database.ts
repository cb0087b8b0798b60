import { mongo } from 'mongoose';

/** Drops a database over a connection of its own. Call once nobody writes to it any more: a write would create it again. */
export async function dropDatabase(uri: string, name: string): Promise<void> {
  const client = await new mongo.MongoClient(uri).connect();
  await client.db(name).dropDatabase();
  await client.close();
}
