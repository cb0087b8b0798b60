import mongoose, { mongo, Schema } from 'mongoose';
import { TcpProxy } from '../support/tcp-proxy';
import { isDatabaseOutage } from '../../src/common/database-outage';
import { patchMongodbDriver } from '../../src/infrastructure/patches/mongodb-driver';

describe('a database outage', () => {
  beforeAll(patchMongodbDriver);

  it.each(['insertMany', 'bulkWrite', 'updateOne', 'find'] as const)(
    'is recognised by the error of %s',
    async (operation) => {
      const { MONGODB_URI = '' } = process.env;
      const proxy = await TcpProxy.to(MONGODB_URI);
      const connection = await mongoose
        .createConnection(proxy.via(MONGODB_URI), { dbName: 'outage', serverSelectionTimeoutMS: 300 })
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

  it('is distinguished from a rejected write', () => {
    expect(isDatabaseOutage(new mongo.MongoServerError({ code: 11000, message: 'duplicate key' }))).toBe(
      false,
    );
    expect(isDatabaseOutage(new Error('network'))).toBe(false);
  });
});
