import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dropIndex } from '../../src/migrations/drop-index';
import { type Migration, MigrationInterrupted } from '../../src/migrations/migration';
import { MIGRATIONS } from '../../src/migrations/migrations';
import { type MigrationsResult, MigrationsService } from '../../src/migrations/migrations.service';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const ROOT = join(__dirname, '..', '..');
/** Renewed each third of it, also by a process that a busy machine lets wait for seconds. */
const LEASE_MS = 12_000;

/** A migration that counts its runs. */
function counting(name: string, work: Migration['run'] = () => Promise.resolve()) {
  const counted = { runs: 0 };
  const migration: Migration = {
    name,
    run: (context) => {
      counted.runs += 1;
      return work(context);
    },
  };
  return { counted, migration };
}

describe('the list of migrations', () => {
  it('has all files of the folder in the order of their names', () => {
    const files = readdirSync(join(ROOT, 'src', 'migrations')).filter((file) => /^\d/.test(file));
    expect(MIGRATIONS.map(({ name }) => `${name}.ts`)).toEqual(files.sort());
  });
});

describe('migrations', () => {
  let service: TestService;

  beforeEach(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  afterEach(() => service.stop());

  const records = () =>
    service
      .collection('migrations')
      .find({ _id: { $ne: '0000-baseline' as never } })
      .toArray();

  it('run when a scheduler starts', async () => {
    const { counted, migration } = counting('0001-one');
    const list = MIGRATIONS as Migration[];
    list.push(migration);
    try {
      expect(await service.get(MigrationsService).listPending()).toEqual(['0001-one']);
      const scheduler = await TestService.start({
        shared: service,
        environment: { APP_ROLES: 'scheduler' },
      });
      await eventually(records, ({ length }) => length > 0);
      await scheduler.stop();
    } finally {
      list.splice(list.indexOf(migration), 1);
    }
    expect(counted.runs).toBe(1);
    expect(await records()).toEqual([
      {
        _id: '0001-one',
        finishedAt: expect.any(Date) as Date,
        durationMs: expect.any(Number) as number,
      },
    ]);
  });

  it('run once and in order when two processes start concurrently', async () => {
    const other = await TestService.start({ shared: service, environment: { APP_ROLES: 'api' } });
    const order: string[] = [];
    const [first, second] = ['0001-one', '0002-two'].map((name) =>
      counting(name, () => {
        order.push(name);
        return Promise.resolve();
      }),
    );
    if (!first || !second) throw new Error('There are two');
    const list = [first.migration, second.migration];
    const results = await Promise.all(
      [service, other, service, other].map((each) => each.get(MigrationsService).run(list)),
    );
    expect(order).toEqual(['0001-one', '0002-two']);
    expect(results.filter((result) => result !== 'busy').flatMap(({ ran }) => ran)).toEqual(order);
    expect(await other.get(MigrationsService).run(list)).toEqual({ ran: [] });
    await other.stop();
  });

  it('renew their lease during a long migration', async () => {
    const long = counting('0001-long', async ({ checkpoint }) => {
      const end = performance.now() + LEASE_MS + 2_000;
      while (performance.now() < end) {
        checkpoint();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    const running = service.get(MigrationsService).run([long.migration], LEASE_MS);
    const attempted: Promise<MigrationsResult>[] = [];
    const trying = setInterval(() => {
      attempted.push(service.get(MigrationsService).run([long.migration], LEASE_MS));
    }, 100);
    const result = await running.finally(() => {
      clearInterval(trying);
    });
    expect(result).toEqual({ ran: ['0001-long'] });
    const attempts = await Promise.all(attempted);
    // The last attempts may come after the migration.
    const refused = attempts.filter((each) => each === 'busy');
    expect(refused.length).toBeGreaterThan(5);
    expect(attempts.filter((each) => each !== 'busy' && each.ran.length !== 0)).toEqual([]);
    expect(long.counted.runs).toBe(1);
  });

  it('are continued by another process after a kill', async () => {
    const things = service.collection('things');
    await things.insertMany([{}, {}]);
    const { MONGODB_URI = '', MONGODB_DATABASE = '' } = service.environment;
    const program = join(__dirname, 'hanging-migration.ts');
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', program, MONGODB_URI, MONGODB_DATABASE, String(LEASE_MS)],
      { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const mark = counting('0001-mark', async ({ db }) => {
      await db
        .collection('things')
        .updateMany({ mark: { $exists: false } }, { $set: { mark: 'second run' } });
    });
    const run = () => service.get(MigrationsService).run([mark.migration], LEASE_MS);
    try {
      // Its log comes before.
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
      await eventually(
        () => printed,
        (text) => text.includes('half-way'),
      );
      expect(await run()).toBe('busy');
    } finally {
      child.kill('SIGKILL');
    }
    await eventually(run, (result) => result !== 'busy');
    expect(mark.counted.runs).toBe(1);
    expect((await things.find().toArray()).map(({ mark }) => mark as unknown).sort()).toEqual([
      'first run',
      'second run',
    ]);
    expect((await records()).map(({ _id }) => String(_id))).toEqual(['0001-mark']);
  });

  it('are retried if they fail, without repeating earlier ones', async () => {
    let isBroken = true;
    const first = counting('0001-one');
    const second = counting('0002-two', () =>
      isBroken ? Promise.reject(new Error('The disk is full')) : Promise.resolve(),
    );
    const list = [first.migration, second.migration];
    await expect(service.get(MigrationsService).run(list)).rejects.toThrow(
      'Migration 0002-two failed: Error: The disk is full',
    );
    isBroken = false;
    // The lease is released immediately.
    expect(await service.get(MigrationsService).run(list)).toEqual({ ran: ['0002-two'] });
    expect([first.counted.runs, second.counted.runs]).toEqual([1, 2]);
  });

  it('stop after the current batch on shutdown and continue in another process', async () => {
    const other = await TestService.start({ shared: service, environment: { APP_ROLES: 'api' } });
    let begun: () => void = () => undefined;
    const isRunning = new Promise<void>((resolve) => (begun = resolve));
    const endless = counting('0001-endless', async ({ checkpoint }) => {
      begun();
      for (;;) {
        checkpoint();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
    const run = other.get(MigrationsService).run([endless.migration]);
    const outcome = expect(run).rejects.toThrow(MigrationInterrupted);
    await isRunning;
    other.get(MigrationsService).stop();
    await outcome;
    await other.stop();
    const quick = counting('0001-endless');
    expect(await service.get(MigrationsService).run([quick.migration])).toEqual({ ran: ['0001-endless'] });
  });

  it('drop an index by its name, also twice and without its collection', async () => {
    const things = service.collection('things');
    await things.createIndex({ name: 1 }, {}, {});
    await things.createIndex({ size: 1 }, {}, {});
    const drop: Migration = {
      name: '0001-drop',
      run: async ({ db }) => {
        await dropIndex(db, 'things', 'name_1');
        await dropIndex(db, 'things', 'name_1');
        await dropIndex(db, 'nothing', 'name_1');
      },
    };
    await service.get(MigrationsService).run([drop]);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_', 'size_1']);
    await things.drop();
  });
});
