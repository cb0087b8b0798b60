import { requireBaseline } from '../../src/migrations/baseline';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { MigrationsService } from '../../src/migrations/migrations.service';
import { TestService } from '../support/service';
import { newStore } from '../support/test-store';

describe('the baseline of a database', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start({ store: newStore(), environment: { APP_ROLES: 'api' } });
  });
  afterEach(() => service.stop());

  const records = () => service.collection('migrations').find().toArray();
  const marks = [{ _id: '0000-baseline', createdAt: expect.any(Date) as Date }];

  it('is marked at its first start, and is no migration', async () => {
    const first = await records();
    expect(first).toEqual(marks);
    expect(await service.collection('accounts').countDocuments()).toBe(1);
    const other = await TestService.start({ shared: service, environment: { APP_ROLES: 'scheduler' } });
    await other.stop();
    expect(await records()).toEqual(first);
    const one = { name: '0001-one', run: () => Promise.resolve() };
    expect(await service.get(MigrationsService).listPending([one])).toEqual(['0001-one']);
  });

  it('is marked once by processes that start at the same time, also when another creates the first account meanwhile', async () => {
    await service.collection('accounts').deleteMany({});
    await service.collection('migrations').deleteMany({});
    const migrations = service.get(MigrationsRepository);
    const start = () => requireBaseline(migrations);
    let reads = 0;
    // Another process does all its start after the first read of this one.
    const meanwhile = async <Read>(read: Promise<Read>): Promise<Read> => {
      const result = await read;
      reads += 1;
      if (reads === 1) {
        await Promise.all([start(), start(), start()]);
        await service.newAccount();
      }
      return result;
    };
    await requireBaseline({
      db: migrations.db,
      hasAccounts: () => meanwhile(migrations.hasAccounts()),
      hasBaseline: () => meanwhile(migrations.hasBaseline()),
      markBaseline: () => migrations.markBaseline(),
    });
    expect(reads).toBe(2);
    expect(await records()).toEqual(marks);
  });
});
