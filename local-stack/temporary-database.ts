import { randomBytes } from 'node:crypto';
import { mongo } from 'mongoose';

export interface TemporaryDatabase {
  readonly client: mongo.MongoClient;
  readonly db: mongo.Db;
  /** Another client, as in another process; `drop` closes it too. */
  another(options?: mongo.MongoClientOptions): Promise<mongo.Db>;
  drop(): Promise<void>;
}

export function mongodbUri(): string {
  const uri = process.env.MONGODB_URI;
  if (!uri) throw new Error('MONGODB_URI is not set: run the tests with npm test, which starts MongoDB.');
  return uri;
}

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
