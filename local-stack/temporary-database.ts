import { randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';

/** A database of one test file, and the client that reaches it. */
export interface TemporaryDatabase {
  readonly client: mongo.MongoClient;
  readonly db: mongo.Db;
  /** Another client of the same database, as another process would have; closed with the rest. */
  another(options?: mongo.MongoClientOptions): Promise<mongo.Db>;
  /** Drops the database and closes every client. */
  drop(): Promise<void>;
}

/** The address of the MongoDB under test. */
export function mongodbUri(): string {
  const uri = process.env.MONGODB_URI;
  if (!uri) throw new Error('MONGODB_URI is not set: run the tests by npm test, which starts a MongoDB.');
  return uri;
}

/** A database with a name of its own on the MongoDB that MONGODB_URI names. */
export async function temporaryDatabase(): Promise<TemporaryDatabase> {
  const name = `test-stack-${randomBytes(6).toString('hex')}`;
  const clients: mongo.MongoClient[] = [];
  const open = async (options?: mongo.MongoClientOptions): Promise<mongo.MongoClient> => {
    const client = await new mongo.MongoClient(mongodbUri(), options).connect();
    clients.push(client);
    return client;
  };
  const client = await open();
  const db = client.db(name);
  return {
    client,
    db,
    another: async (options) => (await open(options)).db(name),
    drop: async () => {
      await db.dropDatabase();
      await Promise.all(clients.map((each) => each.close()));
    },
  };
}
