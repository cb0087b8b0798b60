import { mongo } from 'mongoose';

import { type TemporaryDatabase, temporaryDatabase } from './temporary-database';

interface Item {
  _id: number | string;
  email?: string;
  count?: number;
  state?: string;
  by?: number;
  tags?: string[];
  parts?: { part: number; done: boolean }[];
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('writes on the MongoDB of the stack', () => {
  let database: TemporaryDatabase;
  let items: mongo.Collection<Item>;

  beforeAll(async () => {
    database = await temporaryDatabase();
    items = database.db.collection<Item>('items');
    await items.createIndex(
      { email: 1 },
      { unique: true, partialFilterExpression: { email: { $exists: true } } },
      {},
    );
  });

  beforeEach(async () => {
    await items.deleteMany({});
    await items.insertMany([{ _id: 1, email: 'a@example.org', count: 1 }, { _id: 2, count: 2 }, { _id: 3 }]);
  });

  afterAll(() => database.drop());

  it.each<[string, () => Promise<unknown>]>([
    ['an insert', () => items.insertOne({ _id: 9, email: 'a@example.org' })],
    ['an update', () => items.updateOne({ _id: 2 }, { $set: { email: 'a@example.org' } })],
    ['an upsert', () => items.updateOne({ _id: 9 }, { $set: { email: 'a@example.org' } }, { upsert: true })],
    ['a findAndModify', () => items.findOneAndUpdate({ _id: 2 }, { $set: { email: 'a@example.org' } })],
    ['a replacement', () => items.replaceOne({ _id: 2 }, { email: 'a@example.org' })],
  ])('fail with the index and the value if %s duplicates a key', async (_, write) => {
    const error = await failure(write());
    expect(error).toBeInstanceOf(mongo.MongoServerError);
    expect(error).toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@example.org' },
    });
    expect(String(error)).toContain('E11000 duplicate key error collection: ');
    expect(String(error)).toContain('index: email_1 dup key: { email: "a@example.org" }');
    expect(await items.countDocuments()).toBe(3);
  });

  it('fail in the same way if they duplicate an _id', async () => {
    const expected = { code: 11000, keyPattern: { _id: 1 }, keyValue: { _id: 1 } };
    expect(await failure(items.insertOne({ _id: 1 }))).toMatchObject(expected);
    const upsert = items.findOneAndUpdate(
      { _id: 1, state: 'none' },
      { $set: { count: 5 } },
      { upsert: true },
    );
    expect(await failure(upsert)).toMatchObject(expected);
  });

  it('of an unordered insertMany continue after failures, which the error lists', async () => {
    const documents = [
      { _id: 10 },
      { _id: 1 },
      { _id: 11 },
      { _id: 12, email: 'a@example.org' },
      { _id: 13 },
    ];
    const error = await failure(items.insertMany(documents, { ordered: false }));
    expect(error).toMatchObject({ code: 11000, insertedCount: 3, writeErrors: [{ index: 1 }, { index: 3 }] });
    expect(await items.countDocuments({ _id: { $gte: 10 } })).toBe(3);
  });

  it('of an ordered insertMany stop at the first failure', async () => {
    const error = await failure(items.insertMany([{ _id: 10 }, { _id: 1 }, { _id: 11 }]));
    expect(error).toMatchObject({ code: 11000, insertedCount: 1, writeErrors: [{ index: 1 }] });
    expect(await items.countDocuments({ _id: { $gte: 10 } })).toBe(1);
  });

  it('of a bulk fail with the list of failures', async () => {
    const set = (_id: number, email: string) => ({
      updateOne: { filter: { _id }, update: { $set: { email } } },
    });
    const bulk = items.bulkWrite(
      [set(2, 'a@example.org'), set(3, 'c@example.org'), { insertOne: { document: { _id: 4 } } }],
      { ordered: false },
    );
    expect(await failure(bulk)).toMatchObject({
      modifiedCount: 1,
      insertedCount: 1,
      writeErrors: [{ index: 0 }],
    });
  });

  it('support the operators and pipelines that services use', async () => {
    const _id = 3;
    const parts = [1, 2].map((part) => ({ part, done: false }));
    await items.updateOne({ _id }, { $set: { parts }, $push: { tags: { $each: ['b', 'a'], $sort: 1 } } });
    await items.updateOne({ _id }, { $addToSet: { tags: 'a' }, $inc: { count: 5 }, $max: { by: 2 } });
    await items.updateOne(
      { _id },
      { $set: { 'parts.$[p].done': true } },
      { arrayFilters: [{ 'p.part': 2 }] },
    );
    await items.updateOne({ _id }, { $pull: { tags: 'b' }, $min: { by: 1 } });
    await items.updateOne({ _id }, [{ $set: { state: { $cond: [{ $gt: ['$count', 4] }, 'many', 'few'] } } }]);
    const expected = { _id, count: 5, by: 1, tags: ['a'], state: 'many' };
    expect(await items.findOne({ _id }, { projection: { parts: 0 } })).toEqual(expected);
    expect((await items.findOne({ _id }))?.parts).toEqual([
      { part: 1, done: false },
      { part: 2, done: true },
    ]);
  });

  it('of an upsert set its defaults once', async () => {
    const upsert = () =>
      items.findOneAndUpdate(
        { _id: 'new' },
        { $setOnInsert: { state: 'fresh' }, $inc: { count: 1 } },
        { upsert: true, returnDocument: 'after' },
      );
    await upsert();
    expect(await upsert()).toEqual({ _id: 'new', state: 'fresh', count: 2 });
  });

  it.each<[string, (email: string) => Promise<unknown>]>([
    ['updateOne', (email) => items.updateOne({ email }, { $inc: { count: 1 } }, { upsert: true })],
    [
      'findOneAndUpdate',
      (email) => items.findOneAndUpdate({ email }, { $inc: { count: 1 } }, { upsert: true }),
    ],
  ])('of concurrent upserts of one key (%s) create one document, without a deadlock', async (_, upsert) => {
    for (let round = 0; round < 10; round += 1) {
      const email = `round-${round}@example.org`;
      const upserts = await Promise.allSettled(Array.from({ length: 20 }, () => upsert(email)));
      const made = upserts.filter(({ status }) => status === 'fulfilled').length;
      // On MongoDB too, all but the first upsert can fail.
      for (const each of upserts)
        if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 11000 });
      expect(await items.find({ email }).toArray()).toMatchObject([{ count: made }]);
    }
  });

  it('that are unacknowledged are stored', async () => {
    await items.insertOne({ _id: 'unheard' }, { writeConcern: { w: 0 } });
    await database.db.command({ ping: 1 });
    for (let n = 0; n < 50 && (await items.countDocuments({ _id: 'unheard' })) === 0; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await items.countDocuments({ _id: 'unheard' })).toBe(1);
  });

  it('that claim concurrently claim each document once', async () => {
    await items.insertMany(Array.from({ length: 100 }, (_, n) => ({ _id: 1000 + n, state: 'waiting' })));
    const claimed: unknown[] = [];
    const claim = async (by: number): Promise<void> => {
      const update = { $set: { state: 'claimed', by } };
      for (;;) {
        const item = await items.findOneAndUpdate({ state: 'waiting' }, update, { sort: { _id: 1 } });
        if (item === null) return;
        claimed.push(item._id);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, by) => claim(by)));
    expect(claimed).toHaveLength(100);
    expect(new Set(claimed).size).toBe(100);
  });

  it('in opposite orders do not deadlock', async () => {
    const ids = Array.from({ length: 40 }, (_, n) => 2000 + n);
    await items.insertMany(ids.map((_id) => ({ _id, count: 0 })));
    const bulk = (order: number[]) =>
      items.bulkWrite(
        order.map((_id) => ({ updateOne: { filter: { _id }, update: { $inc: { count: 1 } } } })),
      );
    await Promise.all(Array.from({ length: 10 }, (_, n) => bulk(n % 2 === 0 ? ids : ids.toReversed())));
    expect(await items.countDocuments({ _id: { $in: ids }, count: 10 })).toBe(40);
  });
});
