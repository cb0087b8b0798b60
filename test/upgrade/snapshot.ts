import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';

const FOLDER = join(__dirname, 'fixtures');
const { EJSON } = mongo.BSON;

/** The stored data and the responses of a version. */
export interface Snapshot {
  readonly version: string;
  readonly commit: string;
  readonly recordedAt: Date;
  /** The secrets of the recorded service, used nowhere else. */
  readonly environment: Readonly<Record<string, string>>;
  readonly installation: RecordedInstallation;
  /** Response bodies by path. */
  readonly answers: Readonly<Record<string, object>>;
  readonly collections: Readonly<Record<string, StoredCollection>>;
}

/** Ids and secrets that the tests use. */
export interface RecordedInstallation {
  readonly apiKey: string;
  readonly revokedApiKey: string;
  readonly email: string;
  readonly password: string;
  readonly device: string;
  readonly webhook: string;
  /** A dispatched message without reports. */
  readonly dispatchedMessage: string;
  readonly scheduledBatch: string;
  readonly idempotencyKey: string;
  readonly idempotentBatch: string;
  readonly incoming: object;
}

interface StoredCollection {
  readonly indexes: readonly mongo.IndexDescriptionInfo[];
  readonly documents: readonly mongo.Document[];
}

/** Reads a complete database. */
export async function readCollections(db: mongo.Db): Promise<Record<string, StoredCollection>> {
  const collections: Record<string, StoredCollection> = {};
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const collection = db.collection(name);
    collections[name] = {
      indexes: await collection.indexes(),
      documents: await collection.find().sort({ _id: 1 }).toArray(),
    };
  }
  return collections;
}

/** Restores a recording to an empty database, indexes first. */
export async function restoreCollections(db: mongo.Db, { collections }: Snapshot): Promise<void> {
  for (const [name, { indexes, documents }] of Object.entries(collections)) {
    const collection = await db.createCollection(name);
    for (const { key, name: indexName, ...options } of indexes) {
      if (indexName === '_id_') continue;
      const { unique, sparse, expireAfterSeconds, partialFilterExpression } = options;
      const given = { unique, sparse, expireAfterSeconds, partialFilterExpression };
      const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      await collection.createIndex(key, { name: indexName, ...set }, {});
    }
    if (documents.length > 0) await collection.insertMany([...documents]);
  }
}

export function writeSnapshot(snapshot: Snapshot): string {
  const file = join(FOLDER, `${snapshot.version}.json`);
  writeFileSync(file, `${EJSON.stringify(snapshot, undefined, 1, { relaxed: false })}\n`);
  return file;
}

/** All recordings, oldest first. */
export function readSnapshots(): Snapshot[] {
  return readdirSync(FOLDER)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((file) => EJSON.parse(readFileSync(join(FOLDER, file), 'utf8'), { relaxed: true }) as Snapshot);
}
