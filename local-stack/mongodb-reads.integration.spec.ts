import { mongo } from 'mongoose';

import { type TemporaryDatabase, temporaryDatabase } from './temporary-database';

interface Entry {
  _id: number;
  user: number;
  text: string;
}

const ENTRIES = 20_000;

describe('reads on the MongoDB of the stack', () => {
  let database: TemporaryDatabase;
  let entries: mongo.Collection<Entry>;

  beforeAll(async () => {
    database = await temporaryDatabase();
    entries = database.db.collection<Entry>('entries');
    await entries.createIndex({ user: 1, _id: -1 }, {}, {});
    for (let from = 0; from < ENTRIES; from += 5000) {
      await entries.insertMany(
        Array.from({ length: 5000 }, (_, n) => ({
          _id: from + n,
          user: (from + n) % 7,
          text: 'x'.repeat(80),
        })),
      );
    }
  });

  afterAll(() => database.drop());

  it('return all batches of a cursor', async () => {
    const seen = new Set<number>();
    for await (const { _id } of entries.find({}, { batchSize: 700 })) seen.add(_id);
    expect(seen.size).toBe(ENTRIES);
  });

  it('keep the order of many concurrent sorted cursors', async () => {
    const read = async (user: number): Promise<number[]> => {
      const ids: number[] = [];
      for await (const { _id } of entries.find({ user }).sort({ text: 1, _id: -1 }).batchSize(250))
        ids.push(_id);
      return ids;
    };
    const all = await Promise.all(Array.from({ length: 14 }, (_, n) => read(n % 7)));
    for (const ids of all) expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(all.slice(0, 7).flat()).toHaveLength(ENTRIES);
  });

  it('fail on a closed cursor', async () => {
    const first = await database.db.command({ find: 'entries', batchSize: 5 });
    const { id } = first.cursor as { id: mongo.Long };
    await database.db.command({ killCursors: 'entries', cursors: [id] });
    const more = database.db.command({ getMore: id, collection: 'entries' });
    await expect(more).rejects.toMatchObject({ code: 43, codeName: 'CursorNotFound' });
  });

  it('support limit, skip, projection and count', async () => {
    const page = entries.find({ user: 3 }).sort({ _id: -1 }).skip(2).limit(3).project({ user: 0, text: 0 });
    expect(await page.toArray()).toEqual([{ _id: 19_981 }, { _id: 19_974 }, { _id: 19_967 }]);
    expect(await entries.countDocuments({ user: 3 })).toBe(2857);
    expect(await entries.distinct('user')).toHaveLength(7);
  });

  it('support aggregations that group, join and facet', async () => {
    const groups = entries.aggregate([{ $group: { _id: '$user', n: { $sum: 1 } } }, { $sort: { _id: 1 } }]);
    expect(await groups.toArray()).toHaveLength(7);
    await database.db.collection<{ _id: number; name: string }>('users').insertOne({ _id: 3, name: 'Three' });
    const joined = entries.aggregate([
      { $match: { _id: { $in: [3, 4] } } },
      { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'users' } },
      { $project: { name: { $first: '$users.name' } } },
      { $sort: { _id: 1 } },
    ]);
    expect(await joined.toArray()).toEqual([{ _id: 3, name: 'Three' }, { _id: 4 }]);
    const facets = entries.aggregate([
      { $facet: { all: [{ $count: 'n' }], some: [{ $match: { user: { $lt: 2 } } }, { $count: 'n' }] } },
    ]);
    expect(await facets.toArray()).toEqual([{ all: [{ n: ENTRIES }], some: [{ n: 5715 }] }]);
  });

  it('end at the time limit of a query', async () => {
    const endless = entries.aggregate(
      [
        {
          $lookup: {
            from: 'entries',
            pipeline: [{ $match: { $expr: { $gt: [{ $rand: {} }, 0.5] } } }],
            as: 'all',
          },
        },
        { $unwind: '$all' },
        { $count: 'n' },
      ],
      { maxTimeMS: 100 },
    );
    await expect(endless.toArray()).rejects.toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
    await expect(entries.findOne({ _id: 1 }, { maxTimeMS: 30_000 })).resolves.toMatchObject({ _id: 1 });
  });

  it('keep the types of a document', async () => {
    const document = {
      long: mongo.Long.fromString('9007199254740993'),
      double: new mongo.Double(1),
      decimal: mongo.Decimal128.fromString('1.10'),
      date: new Date(1_700_000_000_000),
      bytes: new mongo.Binary(Buffer.from('bytes')),
      nothing: null,
    };
    const types = database.db.collection('types');
    await types.insertOne(document);
    const stored = await types.findOne({}, { promoteValues: false });
    expect(mongo.BSON.EJSON.stringify(stored, { relaxed: false })).toBe(
      mongo.BSON.EJSON.stringify({ _id: stored?._id, ...document }, { relaxed: false }),
    );
  });

  it('support documents of almost 16 MB, and fail with larger ones', async () => {
    const big = database.db.collection<{ _id: number; text: string }>('big');
    await big.insertOne({ _id: 1, text: 'y'.repeat(16 * 1024 * 1024 - 100) });
    expect((await big.findOne({ _id: 1 }))?.text).toHaveLength(16 * 1024 * 1024 - 100);
    await expect(big.insertOne({ _id: 2, text: 'y'.repeat(16 * 1024 * 1024) })).rejects.toThrow(
      /larger than/,
    );
  });

  it('support messages of 40 MB in both directions', async () => {
    const big = database.db.collection<{ _id: number; text: string }>('bulk');
    await big.insertMany(Array.from({ length: 40 }, (_, _id) => ({ _id, text: 'z'.repeat(1_000_000) })));
    let bytes = 0;
    for await (const { text } of big.find()) bytes += text.length;
    expect(bytes).toBe(40_000_000);
  });

  it('support many concurrent connections', async () => {
    const db = await database.another({ maxPoolSize: 100, minPoolSize: 100 });
    const found = await Promise.all(
      Array.from({ length: 500 }, (_, _id) => db.collection<Entry>('entries').findOne({ _id })),
    );
    expect(found.filter((entry) => entry !== null)).toHaveLength(500);
  });

  it('fail with the name of an unknown command', async () => {
    const unknown = database.db.command({ noSuchCommand: 1 });
    await expect(unknown).rejects.toMatchObject({ code: 59, codeName: 'CommandNotFound' });
  });
});
