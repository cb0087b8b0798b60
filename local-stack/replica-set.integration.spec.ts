import { mongo } from 'mongoose';
import { TemporaryReplicaSet } from './replica-set/replica-set';
import { mongodbUri, type TemporaryDatabase, temporaryDatabase } from './temporary-database';

interface Item extends mongo.Document {
  readonly _id: number;
  readonly times?: number;
}

describe('a replica set over one database', () => {
  let set: TemporaryReplicaSet;
  let plain: TemporaryDatabase;
  let client: mongo.MongoClient;
  let items: mongo.Collection<Item>;

  beforeAll(async () => {
    plain = await temporaryDatabase();
    set = await TemporaryReplicaSet.start(mongodbUri());
  });
  beforeEach(async () => {
    client = await new mongo.MongoClient(set.uri, {
      w: 'majority',
      serverSelectionTimeoutMS: 5_000,
    }).connect();
    items = client.db(plain.db.databaseName).collection<Item>('items');
    await items.deleteMany({});
  });
  afterEach(() => client.close());
  afterAll(async () => {
    await set.stop();
    await plain.drop();
  });

  const primaryOf = async () => ((await client.db('admin').command({ hello: 1 })) as { me: string }).me;

  it('has a primary, and another one after it stepped down; writes and reads find it', async () => {
    const before = await primaryOf();
    const election = set.stepDown(300);
    await Promise.all([1, 2, 3].map((_id) => items.insertOne({ _id })));
    await election;
    expect(await primaryOf()).not.toBe(before);
    expect(await items.countDocuments({})).toBe(3);
  });

  it('does a write once whose answer is lost, also if it is repeated at the next primary', async () => {
    await items.insertOne({ _id: 1, times: 0 });
    void set.cutAfterWrites(1);
    await items.updateOne({ _id: 1 }, { $inc: { times: 1 } });
    const cut = set.cutAfterWrites(1);
    const [updated] = await Promise.all([
      items.findOneAndUpdate({ _id: 1 }, { $inc: { times: 1 } }, { returnDocument: 'after' }),
      cut.then(() => set.stepDown(200)),
    ]);
    expect(updated?.times).toBe(2);
  });

  it('does a write of many documents although its answer is lost, which the driver does not repeat', async () => {
    await items.insertMany([
      { _id: 1, times: 0 },
      { _id: 2, times: 0 },
    ]);
    void set.cutAfterWrites(1);
    await expect(items.updateMany({}, { $inc: { times: 1 } })).rejects.toBeInstanceOf(
      mongo.MongoNetworkError,
    );
    expect(await items.find({}).toArray()).toMatchObject([{ times: 1 }, { times: 1 }]);
  });

  it('is without its primary for a while', async () => {
    const before = await primaryOf();
    await Promise.all([set.killPrimary(500, 200), items.insertOne({ _id: 1 })]);
    expect(await primaryOf()).not.toBe(before);
    expect(await items.countDocuments({})).toBe(1);
  });

  it('says that the majority has not confirmed a write', async () => {
    set.loseMajority();
    await expect(items.insertOne({ _id: 1 })).rejects.toBeInstanceOf(mongo.MongoWriteConcernError);
    const { lastWrite } = (await client.db('admin').command({ hello: 1 })) as {
      lastWrite: { lastWriteDate: Date; majorityWriteDate: Date };
    };
    expect(lastWrite.majorityWriteDate.getTime()).toBeLessThan(lastWrite.lastWriteDate.getTime());
    set.regainMajority();
    expect(await items.countDocuments({})).toBe(1);
    await items.insertOne({ _id: 2 });
  });
});
