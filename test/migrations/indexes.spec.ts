import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, createConnection, Schema } from 'mongoose';
import { IndexChanged, Indexes } from '../../src/infrastructure/mongo/indexes.service';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';

describe('indexes', () => {
  let service: TestService;
  let others: Connection[];

  beforeEach(async () => {
    service = await TestService.start({ store: newStore(), environment: { APP_ROLES: 'api' } });
    others = [];
  });
  afterEach(async () => {
    await Promise.all(others.map((other) => other.close()));
    await service.stop();
  });

  /** Of another version, whose account schema declares an index on `nickname`. */
  async function otherVersion(): Promise<Indexes> {
    const { MONGODB_URI = '', MONGODB_DATABASE = '' } = service.environment;
    const options = { dbName: MONGODB_DATABASE, autoIndex: false, autoCreate: false };
    const other = await createConnection(MONGODB_URI, options).asPromise();
    others.push(other);
    const schema = new Schema({ nickname: String });
    schema.index({ nickname: 1 });
    other.model('Account', schema);
    return new Indexes(other);
  }

  const accounts = () => service.collection('accounts');
  const namesOf = async (collection: string) =>
    (await service.collection(collection).indexes()).map(({ name }) => name ?? '');

  it('are created when a process starts', async () => {
    const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
    let count = 0;
    for (const { collection, schema } of Object.values(models)) {
      const declared = schema
        .indexes()
        .map(([key, { name }]) => name ?? Object.entries(key).flat().map(String).join('_'));
      // A collection without indexes is created by its first document.
      if (declared.length === 0) continue;
      const stored = (await namesOf(collection.name)).filter((name) => name !== '_id_');
      expect([collection.name, stored.sort()]).toEqual([collection.name, declared.sort()]);
      count += declared.length;
    }
    expect(count).toBeGreaterThan(30);
  });

  it('of another version, and of an operator, stay when a process starts', async () => {
    await (await otherVersion()).create();
    await accounts().createIndex({ name: 1 }, { name: 'of the operator' }, {});
    const before = await namesOf('accounts');
    expect(before).toEqual(expect.arrayContaining(['nickname_1', 'of the operator', 'email_1']));
    const scheduler = await TestService.start({ shared: service, environment: { APP_ROLES: 'scheduler' } });
    await scheduler.stop();
    expect(await namesOf('accounts')).toEqual(before);
  });

  it('need a new name when they change', async () => {
    await accounts().createIndex({ nickname: 1 }, { unique: true, sparse: true }, {});
    const version = await otherVersion();
    await expect(version.create()).rejects.toThrow(IndexChanged);
    await expect(version.create()).rejects.toThrow(/An index of accounts .* new name/);
  });

  it('can be created by concurrent processes', async () => {
    const versions = await Promise.all([otherVersion(), otherVersion(), otherVersion()]);
    await Promise.all(versions.map((version) => version.create()));
    expect(await namesOf('accounts')).toContain('nickname_1');
  });
});
