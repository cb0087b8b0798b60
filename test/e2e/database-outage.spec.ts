import mongoose, { mongo, Schema } from 'mongoose';
import { TcpProxy } from '../support/tcp-proxy';
import { isDatabaseOutage, isUnconfirmedWrite } from '../../src/common/database-outage';
import { insertManyUnordered } from '../../src/infrastructure/mongo/unordered-writes';
import { patchMongodbDriver } from '../../src/infrastructure/patches/mongodb-driver';

describe('a database outage', () => {
  beforeAll(patchMongodbDriver);

  it.each(['insertMany', 'bulkWrite', 'updateOne', 'find'] as const)(
    'is recognised by the error of %s',
    async (operation) => {
      const { MONGODB_URI = '' } = process.env;
      const proxy = await TcpProxy.to(MONGODB_URI);
      const connection = await mongoose
        .createConnection(proxy.via(MONGODB_URI), { dbName: 'outage', serverSelectionTimeoutMS: 3_000 })
        .asPromise();
      try {
        const model = connection.model('Thing', new Schema({ name: String }));
        proxy.cut();
        const operations = {
          insertMany: () => model.insertMany([{ name: 'a' }], { lean: true, ordered: false }),
          bulkWrite: () => model.bulkWrite([{ deleteOne: { filter: { name: 'a' } } }], { ordered: false }),
          updateOne: () => model.updateOne({ name: 'a' }, { name: 'b' }).exec(),
          find: () => model.find({ name: 'a' }).exec(),
        };
        const failure: unknown = await operations[operation]().catch((reason: unknown) => reason);
        expect(failure).toBeInstanceOf(Error);
        expect(isDatabaseOutage(failure)).toBe(true);
      } finally {
        await connection.close(true);
        await proxy.close();
      }
    },
  );

  it('is also a write that is not confirmed, which a failure of one of its documents does not hide', async () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' };
    const unconfirmed = new mongo.MongoWriteConcernError({ ok: 1, writeConcernError });
    expect([isDatabaseOutage(unconfirmed), isUnconfirmedWrite(unconfirmed)]).toEqual([true, true]);
    const duplicate = { index: 0, code: 11000, errmsg: 'duplicate key' };
    const bulk = (failure?: object) =>
      new mongo.MongoBulkWriteError(
        { message: 'duplicate key', code: 11000, writeErrors: [duplicate] } as never,
        {
          getWriteConcernError: () => failure,
        } as never,
      );
    expect(isUnconfirmedWrite(bulk())).toBe(false);
    expect(isUnconfirmedWrite(bulk(writeConcernError))).toBe(true);
    const model = (failure: Error) =>
      ({ collection: { insertMany: () => Promise.reject(failure) } }) as never;
    await expect(insertManyUnordered(model(bulk(writeConcernError)), [{}])).rejects.toThrow('duplicate key');
    expect(await insertManyUnordered(model(bulk()), [{}])).toMatchObject([{ code: 11000 }]);
  });

  it('is distinguished from a rejected write', () => {
    expect(isDatabaseOutage(new mongo.MongoServerError({ code: 11000, message: 'duplicate key' }))).toBe(
      false,
    );
    expect(isDatabaseOutage(new Error('network'))).toBe(false);
  });
});
