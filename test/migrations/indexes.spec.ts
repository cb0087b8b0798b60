import { getConnectionToken } from '@nestjs/mongoose';
import { type Connection, createConnection, Schema } from 'mongoose';
import { declaredIndexes, idOf, formatIndexKey } from '../../src/infrastructure/mongo/managed-index';
import { IndexChanged, Indexes } from '../../src/infrastructure/mongo/indexes.service';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';

const DAY_MS = 24 * 3_600_000;

describe('indexes', () => {
  let service: TestService;
  let older: Connection;

  beforeEach(async () => {
    service = await TestService.start({ store: newStore(), environment: { APP_ROLES: 'api' } });
    older = await connect();
  });
  afterEach(async () => {
    await older.close();
    await service.stop();
  });

  function connect(): Promise<Connection> {
    const { MONGODB_URI = '', MONGODB_DATABASE = '' } = service.environment;
    const options = { dbName: MONGODB_DATABASE, autoIndex: false, autoCreate: false };
    return createConnection(MONGODB_URI, options).asPromise();
  }

  /** Starts a version whose account schema declares an index on `nickname`. */
  async function startOlder(options: object = {}): Promise<Indexes> {
    const schema = new Schema({ nickname: String });
    schema.index({ nickname: 1 }, options);
    older.model('Account', schema);
    const indexes = new Indexes(older);
    await indexes.declare();
    return indexes;
  }

  const accounts = () => service.collection('accounts');
  const records = () => service.collection('indexes');
  const namesOf = async (collection: string) =>
    (await service.collection(collection).indexes()).map(({ name }) => name ?? '');

  async function age(id: string, days: number): Promise<void> {
    const declaredAt = new Date(Date.now() - days * DAY_MS);
    await records().updateOne({ _id: id as never }, { $set: { declaredAt } });
  }

  it('are created and recorded when a process starts', async () => {
    const connection = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const declared = Object.values(connection.models).flatMap(declaredIndexes);
    expect(declared.length).toBeGreaterThan(30);
    const stored: string[] = [];
    for (const collection of new Set(declared.map((each) => each.collection))) {
      stored.push(...(await namesOf(collection)).map((name) => idOf({ collection, name, key: '' })));
    }
    expect(stored.filter((id) => !id.endsWith('._id_')).sort()).toEqual(declared.map(idOf).sort());
    const recorded = await records().find().toArray();
    expect(recorded.map(({ _id }) => String(_id)).sort()).toEqual(declared.map(idOf).sort());
    for (const record of recorded) expect(record.declaredAt).toBeInstanceOf(Date);
  });

  it('that were not declared for seven days are dropped when a scheduler starts', async () => {
    await startOlder();
    await accounts().createIndex({ name: 1 }, { name: 'of the operator' }, {});
    await age('accounts.nickname_1', 8);
    // Declared by this version, whose start renews it.
    await age('accounts.email_1', 8);
    const before = await namesOf('accounts');
    expect(before).toEqual(expect.arrayContaining(['nickname_1', 'of the operator', 'email_1']));

    const scheduler = await TestService.start({ shared: service, environment: { APP_ROLES: 'scheduler' } });
    await eventually(
      () => namesOf('accounts'),
      (names) => !names.includes('nickname_1'),
    );
    await eventually(
      () => records().countDocuments({ _id: 'accounts.nickname_1' as never }),
      (count) => count === 0,
    );
    await scheduler.stop();
    expect(await namesOf('accounts')).toEqual(before.filter((name) => name !== 'nickname_1'));
  });

  it('are kept while a process of the previous version declares them', async () => {
    const olderIndexes = await startOlder();
    await age('accounts.nickname_1', 8);
    await olderIndexes.renew();
    expect(await service.get(Indexes).dropUnused()).toEqual([]);
    await age('accounts.nickname_1', 6);
    expect(await service.get(Indexes).dropUnused()).toEqual([]);
    expect(await namesOf('accounts')).toContain('nickname_1');
    await age('accounts.nickname_1', 8);
    expect(await service.get(Indexes).dropUnused()).toEqual(['accounts.nickname_1']);
    // A downgrade creates it again.
    await olderIndexes.renew();
    expect(await namesOf('accounts')).toContain('nickname_1');
  });

  it('of versions without records are dropped seven days after the upgrade', async () => {
    await accounts().createIndex({ nickname: 1 }, {}, {});
    const retired = [
      { collection: 'accounts', name: 'nickname_1', key: formatIndexKey({ nickname: 1 }) },
      { collection: 'accounts', name: 'email_1', key: formatIndexKey({ email: 1 }) },
      { collection: 'nothing', name: 'of_it_1', key: formatIndexKey({ of_it: 1 }) },
    ];
    const indexes = service.get(Indexes);
    const dropUnused = () => indexes.dropUnused(undefined, retired);
    expect(await dropUnused()).toEqual([]);
    expect(await namesOf('accounts')).toContain('nickname_1');
    await age('accounts.nickname_1', 8);
    expect(await dropUnused()).toEqual(['accounts.nickname_1']);
    expect(await dropUnused()).toEqual([]);
    // Declared indexes are kept.
    expect(await namesOf('accounts')).toContain('email_1');
  });

  it('are not dropped if an operator has created another one of the same name', async () => {
    await startOlder();
    await accounts().dropIndex('nickname_1');
    await accounts().createIndex({ name: 1 }, { name: 'nickname_1' }, {});
    await age('accounts.nickname_1', 8);
    expect(await service.get(Indexes).dropUnused()).toEqual([]);
    expect(await namesOf('accounts')).toContain('nickname_1');
  });

  it('need a new name when they change', async () => {
    await accounts().createIndex({ nickname: 1 }, { unique: true, sparse: true }, {});
    await expect(startOlder()).rejects.toThrow(IndexChanged);
    await expect(new Indexes(older).declare()).rejects.toThrow(/An index of accounts .* new name/);
  });

  it('can be declared and dropped by concurrent processes', async () => {
    await startOlder();
    const others = await Promise.all([connect(), connect(), connect()]);
    await age('accounts.nickname_1', 8);
    const dropped = await Promise.all(others.map((other) => new Indexes(other).dropUnused()));
    expect(dropped.flat()).toContain('accounts.nickname_1');
    expect(await namesOf('accounts')).not.toContain('nickname_1');
    for (const other of others) {
      const schema = new Schema({ nickname: String });
      schema.index({ nickname: 1 });
      other.model('Account', schema);
    }
    await Promise.all(others.map((other) => new Indexes(other).declare()));
    expect(await namesOf('accounts')).toContain('nickname_1');
    expect(await records().countDocuments({ _id: 'accounts.nickname_1' as never })).toBe(1);
    await Promise.all(others.map((other) => other.close()));
  });
});
