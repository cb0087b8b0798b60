import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';

const FOLDER = join(__dirname, 'fixtures');
const { EJSON } = mongo.BSON;

/** Everything a version left behind: what it stored, and what it answered to its own clients. */
export interface Snapshot {
  readonly version: string;
  readonly commit: string;
  readonly recordedAt: Date;
  /** The secrets it ran with; they protect nothing else. */
  readonly environment: Readonly<Record<string, string>>;
  readonly installation: RecordedInstallation;
  /** The bodies of its answers, by path. */
  readonly answers: Readonly<Record<string, object>>;
  readonly collections: Readonly<Record<string, StoredCollection>>;
}

/** What the tests work with, by what it is. */
export interface RecordedInstallation {
  readonly apiKey: string;
  readonly revokedApiKey: string;
  readonly email: string;
  readonly password: string;
  readonly device: string;
  readonly webhook: string;
  /** A message that was handed to the phone, which has reported nothing. */
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

/** Reads a database whole. */
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

/** Fills an empty database with what was recorded, indexes first, as it grew. */
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

/** All that are kept, oldest first. */
export function readSnapshots(): Snapshot[] {
  return readdirSync(FOLDER)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .map((file) => EJSON.parse(readFileSync(join(FOLDER, file), 'utf8'), { relaxed: true }) as Snapshot);
}
