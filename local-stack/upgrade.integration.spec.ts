import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { mongo } from 'mongoose';

import { Progress } from './progress';
import { dataFolder, debianOf, POSTGRES_DATA, runAsPostgres, runInside } from './documentdb/chroot';
import { POSTGRES_BIN, makeOwnData } from './documentdb/install';
import { POSTGRES_SETTINGS } from './documentdb/postgres-settings';
import { homeFrom } from './home';
import { startLocalStack, stopLocalStack } from './local-stack';
import { isMongodbResponding } from './ping';
import { freePort } from './ports';
import { stopProcess, findOnPath, isRunning, startDetached, until } from './processes';
import { type RunningProcess, readState, type StackState } from './state-file';
import { typescriptProgram } from './typescript-program';

const QUIET = { write: () => true };
const shared = homeFrom(process.env);
/** This test does not install PostgreSQL; it uses the installation of the test stack. */
const hasDocumentdb = existsSync(`${shared.documentdb}/debian`);
const redisProgram =
  findOnPath('redis-server', process.env.PATH) ?? findOnPath('valkey-server', process.env.PATH);

/** A home of the version without passwords, with running servers. */
class OlderHome {
  readonly env: Record<string, string | undefined>;
  private readonly folder = mkdtempSync(join(tmpdir(), 'older-home-'));

  constructor() {
    this.env = {
      ...process.env,
      MONGODB_URI: hasDocumentdb ? '' : 'mongodb://127.0.0.1:1/given',
      REDIS_URL: '',
      // Longer than a socket path.
      LOCAL_STACK_HOME: join(this.folder, 'x'.repeat(90)),
      LOCAL_STACK_PROGRAMS: shared.programs,
    };
    mkdirSync(this.home.path);
    chmodSync(this.home.path, 0o755);
  }

  get home(): ReturnType<typeof homeFrom> {
    return homeFrom(this.env);
  }

  get state(): StackState {
    return readState(this.home.stateFile);
  }

  async start(): Promise<void> {
    const redis = await this.startRedis();
    const mongodb = hasDocumentdb ? await this.startMongodb() : undefined;
    writeFileSync(this.home.stateFile, JSON.stringify({ redis, mongodb }));
  }

  async remove(): Promise<void> {
    await stopLocalStack(this.env);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startRedis(): Promise<RunningProcess> {
    if (redisProgram === undefined) throw new Error('There is no Redis on the PATH');
    const { redisData, logs } = this.home;
    mkdirSync(redisData, { recursive: true });
    const port = await freePort();
    const settings = { bind: '127.0.0.1', port: String(port), dir: redisData, appendonly: 'yes' };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const pid = await startDetached(redisProgram, args, join(logs, 'redis.log'));
    const redis = new Redis(port, '127.0.0.1');
    redis.on('error', () => undefined); // until it listens
    await redis.set('kept', 'value');
    await redis.quit();
    return { pid, port };
  }

  private async startMongodb(): Promise<object> {
    const { home } = this;
    const log = join(home.logs, 'older.log');
    mkdirSync(home.logs, { recursive: true });
    await makeOwnData(home, new Progress('MongoDB', QUIET));
    const data = dataFolder(home);
    writeFileSync(join(data, 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n');
    const settings = POSTGRES_SETTINGS.replaceAll(/^(unix_socket|hba_file|ident_file).*$/gm, '')
      .replace("listen_addresses = ''", "listen_addresses = '127.0.0.1'")
      .replace(`'host=${POSTGRES_DATA}'`, "'host=127.0.0.1'");
    writeFileSync(join(data, 'local-stack.conf'), settings);
    const server = await freePort();
    const options = `-p ${server} -c config_file=${POSTGRES_DATA}/local-stack.conf -c cluster_name=${home.processTag}`;
    await runInside(
      debianOf(home),
      ['install', '-d', '-o', 'postgres', '-g', 'postgres', '/run/postgresql'],
      log,
    );
    const start = ['-D', POSTGRES_DATA, '-o', options, '-l', `${POSTGRES_DATA}/server.log`, '-w', 'start'];
    await runAsPostgres(debianOf(home), [`${POSTGRES_BIN}/pg_ctl`, ...start], log);
    await runAsPostgres(
      debianOf(home),
      ['psql', '-h', '127.0.0.1', '-p', String(server), '-c', EXTENSION],
      log,
    );
    const proxy = await this.startProxy(server, log);
    await write(`mongodb://older:older@127.0.0.1:${proxy.port}/kept?directConnection=true`);
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return { source: 'documentdb', server: { pid, port: server }, front: { ...proxy, program: 'older' } };
  }

  /** The current proxy on the older PostgreSQL; only the process matters. */
  private async startProxy(postgresPort: number, log: string): Promise<RunningProcess> {
    const port = await freePort();
    const file = join(this.folder, 'password');
    writeFileSync(file, 'older');
    const [program, ...args] = typescriptProgram(join(__dirname, 'documentdb', 'proxy', 'main.ts'));
    const own = [String(port), '127.0.0.1', String(postgresPort), 'older', file, this.home.processTag];
    const pid = await startDetached(program, [...args, ...own], log);
    expect(await until(() => isMongodbResponding(port), 20_000)).toBe(true);
    return { pid, port };
  }
}

const EXTENSION = 'CREATE EXTENSION documentdb CASCADE; CREATE EXTENSION documentdb_extended_rum';

async function withDatabase<T>(uri: string, work: (database: mongo.Db) => Promise<T>): Promise<T> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 10_000 });
  try {
    return await work(client.db('kept'));
  } finally {
    await client.close();
  }
}

const write = (uri: string) =>
  withDatabase(uri, async (database) => {
    await database.collection<{ _id: string }>('things').insertOne({ _id: 'kept' });
  });

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });

async function expectUpgraded(older: OlderHome, before: StackState): Promise<void> {
  const { home } = older;
  const { mongodbUri, redisUrl } = await startLocalStack(older.env, QUIET);
  expect(statSync(home.path).mode & 0o777).toBe(0o700);
  expect(redisUrl).toMatch(new RegExp(`^redis://default:[0-9a-f]{48}@127.0.0.1:${before.redis?.port}$`));
  const redis = new Redis(redisUrl);
  expect(await redis.get('kept')).toBe('value');
  await redis.quit();
  const { state } = older;
  expect(await isRunning(before.redis?.pid ?? 0, `:${before.redis?.port}`)).toBe(
    before.redis?.pid === state.redis?.pid,
  );
  if (hasDocumentdb) {
    expect(new URL(mongodbUri).port).toBe(String(before.mongodb?.proxy?.port));
    expect(new URL(mongodbUri).password).toMatch(/^[0-9a-f]{48}$/);
    const documents = await withDatabase(mongodbUri, (database) =>
      database.collection('things').find().toArray(),
    );
    expect(documents).toEqual([{ _id: 'kept' }]);
    expect(statSync(dataFolder(home)).mode & 0o777).toBe(0o700);
    expect(await accepts(state.mongodb?.server.port ?? 0)).toBe(false);
  }
  // A second run changes nothing.
  expect(await startLocalStack(older.env, QUIET)).toEqual({ mongodbUri, redisUrl, home: home.path });
  expect(older.state).toEqual(state);
  await expectNoPasswordIn(home.path, state, [redisUrl, mongodbUri]);
}

/** Other users can read arguments, and sometimes logs. */
async function expectNoPasswordIn(path: string, state: StackState, uris: readonly string[]): Promise<void> {
  const passwords = uris.map((uri) => new URL(uri).password).filter((password) => password !== '');
  const { proxy, server } = state.mongodb ?? {};
  const pids = [state.redis, proxy, server].flatMap((running) =>
    running === undefined ? [] : [running.pid],
  );
  const commandLines = await Promise.all(
    pids.flatMap((pid) => passwords.map((password) => isRunning(pid, password))),
  );
  expect(commandLines).not.toContain(true);
  for (const name of ['redis.log', 'proxy.log', 'postgres.log']) {
    const log = join(path, 'logs', name);
    const text = existsSync(log) ? readFileSync(log, 'utf8') : '';
    for (const password of passwords) expect(text).not.toContain(password);
  }
}

(redisProgram === undefined ? describe.skip : describe)('a home of the version without passwords', () => {
  let older: OlderHome;
  let before: StackState;
  beforeEach(async () => {
    older = new OlderHome();
    await older.start();
    before = older.state;
  });
  afterEach(() => older.remove());

  it('is upgraded while it runs, with its data and its ports', async () => {
    await expectUpgraded(older, before);
  });

  it('gets new passwords after the files with the old ones are lost', async () => {
    const { redisUrl, mongodbUri } = await startLocalStack(older.env, QUIET);
    for (const name of ['redis-password', 'mongodb-password'])
      rmSync(join(older.home.path, name), { force: true });
    await expectUpgraded(older, before);
    const restarted = await startLocalStack(older.env, QUIET);
    expect(restarted.redisUrl).not.toBe(redisUrl);
    if (hasDocumentdb) expect(restarted.mongodbUri).not.toBe(mongodbUri);
  });

  it('is upgraded after a crash of all its processes', async () => {
    const { proxy, server } = before.mongodb ?? {};
    await stopProcess(before.redis?.pid ?? 0, `:${before.redis?.port}`, 'SIGKILL', 5_000);
    for (const running of [proxy, server])
      if (running) await stopProcess(running.pid, older.home.processTag, 'SIGKILL', 5_000);
    await expectUpgraded(older, before);
  });

  it('is upgraded by set-ups that are killed one after another, each a little later', async () => {
    const [program, ...args] = typescriptProgram(join(__dirname, 'commands', 'setup.ts'));
    let isDone = false;
    for (let delay = 600; !isDone; delay *= 1.25) {
      const setup = spawn(program, args, { env: older.env, stdio: 'ignore' });
      const exited = once(setup, 'exit') as Promise<[number | null]>;
      isDone = await Promise.race([exited.then(([code]) => code === 0), sleep(delay, false)]);
      setup.kill('SIGKILL');
      await exited;
    }
    await expectUpgraded(older, before);
  });
});

describe('a folder that is used for something else', () => {
  it('keeps its mode, and is refused as the home', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'not-a-home-'));
    writeFileSync(join(folder, 'letter.txt'), 'Dear reader');
    chmodSync(folder, 0o755);
    await expect(startLocalStack({ LOCAL_STACK_HOME: folder }, QUIET)).rejects.toThrow(
      /^LOCAL_STACK_HOME: .* is used for something else/,
    );
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    rmSync(folder, { recursive: true });
  });
});
