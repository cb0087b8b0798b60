import { fastestRunMs } from '../test/support/fastest-run';
import { mongo } from 'mongoose';

import { type TemporaryDatabase, temporaryDatabase } from './temporary-database';

function indexesIn(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const own = 'indexName' in plan && typeof plan.indexName === 'string' ? [plan.indexName] : [];
  const { inputStage, inputStages, ...rest } = plan as Record<string, unknown>;
  const inner = [inputStage, ...(Array.isArray(inputStages) ? (inputStages as unknown[]) : [])];
  // MongoDB's newer engine nests the plan once more.
  return [...own, ...inner.flatMap(indexesIn), ...indexesIn(rest.queryPlan)];
}

async function servedBy(cursor: mongo.FindCursor): Promise<string[]> {
  const { queryPlanner } = (await cursor.explain('queryPlanner')) as {
    queryPlanner: { winningPlan: unknown };
  };
  return indexesIn(queryPlanner.winningPlan);
}

describe('indexes on the MongoDB of the stack', () => {
  let database: TemporaryDatabase;

  beforeAll(async () => {
    database = await temporaryDatabase();
  });

  afterAll(() => database.drop());

  it('can be created by several processes at once, and again', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.another()));
    const specs: mongo.IndexDescription[] = [
      { key: { account: 1, at: -1, _id: -1 } },
      { key: { token: 1 }, unique: true, sparse: true },
      { key: { state: 1, at: 1 }, partialFilterExpression: { state: 'waiting' } },
    ];
    await Promise.all(
      clients.flatMap((db, n) => [
        db.collection('shared').createIndexes(specs),
        db.collection(`shared-${n % 2}`).createIndexes(specs),
        db.collection('shared').insertOne({ account: n }),
      ]),
    );
    const shared = database.db.collection('shared');
    expect(await fastestRunMs(3, () => shared.createIndexes(specs))).toBeLessThan(500);
    expect((await shared.indexes()).map(({ name }) => name).toSorted()).toEqual([
      '_id_',
      'account_1_at_-1__id_-1',
      'state_1_at_1',
      'token_1',
    ]);
  });

  it('can be created while the collection is written', async () => {
    const busy = database.db.collection('busy');
    let done = false;
    const write = async (): Promise<void> => {
      for (let n = 0; !done; n += 1) {
        await busy.insertOne({ n });
        await busy.updateOne({ n }, { $set: { seen: true } });
      }
    };
    const writing = [write(), write(), write()];
    await busy.createIndexes([{ key: { n: 1 } }, { key: { seen: 1 } }]);
    done = true;
    await Promise.all(writing);
    expect(await busy.indexes()).toHaveLength(3);
  });

  it('allow several inserts to create a collection at once', async () => {
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.another()));
    await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        clients.map((db) => db.collection(`new-${n}`).insertOne({ n })),
      ).flat(),
    );
    const upserts = clients.map((db, n) =>
      db
        .collection('new-bulk')
        .bulkWrite(
          [1, 2].map((k) => ({ updateOne: { filter: { k, n }, update: { $set: { n } }, upsert: true } })),
        ),
    );
    await Promise.all(upserts);
    for (let n = 0; n < 5; n += 1) expect(await database.db.collection(`new-${n}`).countDocuments()).toBe(4);
    expect(await database.db.collection('new-bulk').countDocuments()).toBe(8);
  });

  it('are refused with other options, and as unique over duplicates', async () => {
    const twice = database.db.collection('twice');
    await twice.insertMany([{ a: 1 }, { a: 1 }]);
    await expect(twice.createIndex({ a: 1 }, { unique: true }, {})).rejects.toMatchObject({ code: 11000 });
    await twice.createIndex({ a: 1 }, { name: 'one' }, {});
    await expect(twice.createIndex({ a: 1 }, { name: 'two' }, {})).rejects.toMatchObject({ code: 85 });
    await expect(twice.createIndex({ b: 1 }, { name: 'one' }, {})).rejects.toMatchObject({ code: 86 });
    await expect(twice.dropIndex('none')).rejects.toMatchObject({ code: 27 });
  });

  it('that are partial and unique apply only to documents that match the filter', async () => {
    const partial = database.db.collection('partial');
    const partialFilterExpression = { external: { $exists: true } };
    await partial.createIndex({ account: 1, external: 1 }, { unique: true, partialFilterExpression }, {});
    await partial.insertMany([
      { account: 1 },
      { account: 1 },
      { account: 1, external: 'x' },
      { account: 2, external: 'x' },
    ]);
    await expect(partial.insertOne({ account: 1, external: 'x' })).rejects.toMatchObject({
      code: 11000,
      keyValue: { account: 1, external: 'x' },
    });
  });

  it('are used by the queries they are for', async () => {
    const served = database.db.collection('served');
    await served.createIndexes([
      { key: { account: 1, at: -1, _id: -1 }, name: 'page' },
      { key: { state: 1, at: 1 }, name: 'waiting', partialFilterExpression: { state: 'waiting' } },
      { key: { external: 1 }, name: 'external', partialFilterExpression: { external: { $exists: true } } },
    ]);
    await served.insertMany(
      Array.from({ length: 500 }, (_, n) => ({
        account: n % 5,
        at: new Date(n * 1000),
        state: n % 3 === 0 ? 'waiting' : 'done',
        ...(n % 2 === 0 ? { external: `e${n}` } : {}),
      })),
    );
    const page = served.find({ account: 1 }).sort({ at: -1, _id: -1 }).limit(10);
    expect(await servedBy(page)).toEqual(['page']);
    const due = served.find({ state: 'waiting', at: { $lt: new Date(9000) } }).sort({ at: 1 });
    expect(await servedBy(due)).toEqual(['waiting']);
    expect(await servedBy(served.find({ external: 'e4' }))).toEqual(['external']);
    expect(await servedBy(served.find({ state: 'done' }))).toEqual([]);
    expect(await servedBy(served.find({ state: 'waiting', account: 1 }).hint('page'))).toEqual(['page']);
  });

  it('with a TTL remove expired documents, and no others', async () => {
    const expiring = database.db.collection('expiring');
    await expiring.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 }, {});
    const at = (seconds: number): Date => new Date(Date.now() + seconds * 1000);
    await expiring.insertMany([{ expiresAt: at(-5) }, { expiresAt: at(3600) }, { expiresAt: null }]);
    // MongoDB sweeps once a minute.
    const end = Date.now() + 75_000;
    while ((await expiring.countDocuments()) > 2 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    expect(await expiring.countDocuments()).toBe(2);
  });
});
