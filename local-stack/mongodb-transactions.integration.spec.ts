import { mongo } from 'mongoose';
import { setTimeout as pause } from 'node:timers/promises';

import { mongodbUri, type TemporaryDatabase, temporaryDatabase } from './temporary-database';

interface Account {
  _id: string;
  balance: number;
}

/** A mongod without a replica set has no transactions. */
async function hasTransactions(client: mongo.MongoClient): Promise<boolean> {
  const { setName, modules } = {
    ...(await client.db('admin').command({ hello: 1 })),
    ...(await client.db('admin').command({ buildInfo: 1 })),
  } as { setName?: string; modules?: string[] };
  return setName !== undefined || modules?.includes('documentdb') === true;
}

describe('transactions on the MongoDB of the stack', () => {
  let database: TemporaryDatabase;
  let accounts: mongo.Collection<Account>;
  let supported = false;

  beforeAll(async () => {
    database = await temporaryDatabase();
    accounts = database.db.collection<Account>('accounts');
    supported = await hasTransactions(database.client);
  });

  beforeEach(async () => {
    await accounts.deleteMany({});
    await accounts.insertMany([
      { _id: 'a', balance: 100 },
      { _id: 'b', balance: 0 },
    ]);
  });

  afterAll(() => database.drop());

  const balances = async (): Promise<number[]> =>
    (await accounts.find().sort({ _id: 1 }).toArray()).map(({ balance }) => balance);

  it('commit all their writes', async () => {
    if (!supported) return;
    await database.client.withSession((session) =>
      session.withTransaction(async () => {
        await accounts.updateOne({ _id: 'a' }, { $inc: { balance: -30 } }, { session });
        expect(await balances()).toEqual([100, 0]);
        await accounts.updateOne({ _id: 'b' }, { $inc: { balance: 30 } }, { session });
      }),
    );
    expect(await balances()).toEqual([70, 30]);
  });

  it('write nothing if they are aborted or one of their writes fails', async () => {
    if (!supported) return;
    await database.client.withSession(async (session) => {
      session.startTransaction();
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session });
      await session.abortTransaction();
      session.startTransaction();
      await accounts.updateOne({ _id: 'a' }, { $inc: { balance: -1 } }, { session });
      await expect(accounts.insertOne({ _id: 'a', balance: 0 }, { session })).rejects.toMatchObject({
        code: 11000,
      });
      await expect(session.commitTransaction()).rejects.toMatchObject({ code: 251 });
    });
    expect(await balances()).toEqual([100, 0]);
  });

  it('fail with a transient error if they conflict', async () => {
    if (!supported) return;
    const move = (): Promise<void> =>
      database.client.withSession((session) =>
        session.withTransaction(async () => {
          const { balance } = (await accounts.findOne({ _id: 'a' }, { session })) ?? { balance: 0 };
          await accounts.updateOne({ _id: 'a' }, { $set: { balance: balance - 1 } }, { session });
          await accounts.updateOne({ _id: 'b' }, { $inc: { balance: 1 } }, { session });
        }),
      );
    await Promise.all(Array.from({ length: 8 }, move));
    expect(await balances()).toEqual([92, 8]);
  });

  it('release their locks when their connection closes', async () => {
    if (!supported) return;
    const client = new mongo.MongoClient(mongodbUri());
    const session = client.startSession();
    session.startTransaction();
    const theirs = client.db(database.db.databaseName).collection<Account>('accounts');
    await theirs.updateOne({ _id: 'a' }, { $set: { balance: 1 } }, { session });
    await client.close(true);
    await pause(50);
    await accounts.updateOne({ _id: 'a' }, { $inc: { balance: 1 } }, { maxTimeMS: 5000 });
    expect(await balances()).toEqual([101, 0]);
  });
});
