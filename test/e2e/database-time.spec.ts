import { mongo } from 'mongoose';
import { newStore } from '../support/test-store';

const HOUR = 3_600_000;

/** The rollups rely on these features of the database. */
describe('the time of the database', () => {
  const store = newStore();
  let client: mongo.MongoClient;
  let messages: mongo.Collection;

  beforeAll(async () => {
    client = await mongo.MongoClient.connect(store.environment.MONGODB_URI ?? '');
    messages = client.db(store.environment.MONGODB_DATABASE).collection('messages');
    await messages.createIndexes([{ key: { fingerprint: 1 }, unique: true }]);
  });
  afterAll(async () => {
    await client.close();
    await store.drop();
  });

  const isNow = (time: unknown) => time instanceof Date && Math.abs(time.getTime() - Date.now()) < 60_000;
  const maxTimeMS = 30_000;

  it('is set by pipeline updates of one and of many documents', async () => {
    await messages.insertMany([1, 2, 3].map((n) => ({ fingerprint: `update ${n}`, n })));
    const update = [{ $set: { at: { $cond: [{ $gt: ['$n', 1] }, '$$NOW', '$$REMOVE'] } } }];
    await messages.updateMany({ n: { $gte: 1 } }, update, { maxTimeMS });
    const found = await messages
      .find({ n: { $gte: 1 } })
      .sort({ n: 1 })
      .toArray();
    expect(found.map(({ at }) => isNow(at))).toEqual([false, true, true]);
    expect(String(found[1]?.at)).toBe(String(found[2]?.at));
  });

  it('is set by an upsert, whose other values are used literally', async () => {
    const _id = new mongo.ObjectId();
    const fields = { fingerprint: '$fingerprint', message: '$$NOW' };
    const insert = (id: mongo.ObjectId) =>
      messages.updateOne(
        { _id: id },
        { $setOnInsert: fields, $currentDate: { at: true } },
        { upsert: true, maxTimeMS },
      );
    expect((await insert(_id)).upsertedCount).toBe(1);
    const found = await messages.findOne({ _id });
    expect(found).toEqual({ _id, ...fields, at: expect.any(Date) as Date });
    expect(isNow(found?.at)).toBe(true);
    await expect(insert(new mongo.ObjectId())).rejects.toMatchObject({ code: 11000 });
  });

  it('is set by $currentDate beside other operators', async () => {
    await messages.insertOne({ fingerprint: 'operators', list: [] as number[] });
    await messages.updateMany(
      { fingerprint: 'operators' },
      { $currentDate: { at: true }, $set: { status: 'failed' }, $push: { list: 1 as never } },
      { maxTimeMS },
    );
    const found = await messages.findOne({ fingerprint: 'operators' });
    expect(found).toMatchObject({ status: 'failed', list: [1] });
    expect(isNow(found?.at)).toBe(true);
  });

  it('is read in aggregates and compared in conditions of updates', async () => {
    const jobs = client.db(store.environment.MONGODB_DATABASE).collection('jobs');
    const { insertedId: _id } = await jobs.insertOne({ at: new Date(Date.now() - HOUR) });
    const hour = { $dateTrunc: { date: '$at', unit: 'hour' } };
    const [read] = await jobs.aggregate([{ $project: { now: '$$NOW', hour } }]).toArray();
    expect(isNow(read?.now)).toBe(true);
    expect((read?.hour as Date).getTime() % HOUR).toBe(0);
    const due = { _id, $expr: { $lte: ['$at', '$$NOW'] } };
    const move = () => jobs.findOneAndUpdate(due, [{ $set: { at: { $add: ['$$NOW', HOUR] } } }]);
    expect(await move()).not.toBeNull();
    expect(await move()).toBeNull();
  });

  it('sets the times in an array of a document', async () => {
    await messages.insertOne({ fingerprint: 'array', changes: [{ at: new Date(0), attempts: 1 }] });
    const kept = {
      $filter: { input: { $ifNull: ['$changes', []] }, cond: { $gte: ['$$this.at', new Date(1)] } },
    };
    await messages.updateOne({ fingerprint: 'array' }, [
      { $set: { changes: { $concatArrays: [kept, [{ at: '$$NOW', attempts: 2 }]] } } },
    ]);
    const found = await messages.findOne({ fingerprint: 'array' });
    expect(found?.changes).toEqual([{ at: expect.any(Date) as Date, attempts: 2 }]);
  });
});
