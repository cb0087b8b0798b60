import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { newStore, TestStore } from '../support/test-store';
import { readCollections } from '../upgrade/snapshot';

const DIST = join(__dirname, '..', '..', 'dist');
const MAIN = join(DIST, 'main.js');
const ADMIN = join(DIST, 'admin.js');

interface ProgramOutput {
  code: number | null;
  output: string;
  error: string;
}

/** Runs the built service, or another program, until it ends, or until `stopWhen` finds what it waits for in the output. */
function run(
  environment: Record<string, string | undefined>,
  stopWhen?: RegExp,
  program: readonly string[] = [MAIN],
): Promise<ProgramOutput> {
  return new Promise((resolve, reject) => {
    const { PATH } = process.env;
    const child = spawn(process.execPath, program, {
      env: { PATH, PORT: '0', HOST: '127.0.0.1', ...environment },
    });
    const ended: ProgramOutput = { code: null, output: '', error: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      const isReady = stopWhen?.test(ended.output);
      ended.output += chunk.toString();
      // Once: a second signal during the last steps of the exit would end the process itself.
      if (!isReady && stopWhen?.test(ended.output)) child.kill('SIGTERM');
    });
    child.stderr.on('data', (chunk: Buffer) => (ended.error += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ ...ended, code });
    });
  });
}

describe('the service process', () => {
  let store: TestStore;

  beforeEach(() => {
    store = newStore();
  });
  afterEach(() => store.drop());

  it('reports every configuration error and exits with 1', async () => {
    const { code, error, output } = await run({
      PORT: 'many',
      APP_ROLES: 'api,boss',
      REDIS_URL: 'nonsense',
      BOOTSTRAP_API_KEY: 'short',
      TOKEN_SECRET: 'short',
      DISPATCH_WAVE_SIZE: '0',
    });
    expect(code).toBe(1);
    for (const name of [
      'PORT',
      'APP_ROLES',
      'MONGODB_URI',
      'REDIS_URL',
      'BOOTSTRAP_API_KEY',
      'TOKEN_SECRET',
      'DISPATCH_WAVE_SIZE',
    ]) {
      expect(error).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
    }
    expect(error).not.toMatch(/\n\s+at /);
    expect(output).toBe('');
  });

  it.each([
    ['MONGODB_URI', 'MongoDB', 'mongodb://user:secret@127.0.0.1:1/db'],
    ['REDIS_URL', 'Redis', 'redis://:secret@127.0.0.1:1'],
  ])(
    'reports in one line that the server in %s is unreachable, and exits with 1',
    async (variable, what, address) => {
      const { code, error } = await run({ ...store.environment, [variable]: address });
      expect(code).toBe(1);
      expect(error.trim().split('\n')).toHaveLength(1);
      for (const part of [what, '127.0.0.1:1', variable]) expect(error).toContain(part);
      expect(error).not.toContain('secret');
    },
  );

  it.each([
    ['cut short', '-----BEGIN PRIVATE KEY-----\\nMIIEvQ\\n-----END PRIVATE KEY-----\\n'],
    ['not a key', 'confidential'],
  ])('reports that the Firebase key is %s, without printing it, and exits with 1', async (_, key) => {
    const { code, error, output } = await run({
      ...store.environment,
      FIREBASE_PROJECT_ID: 'demo-project',
      FIREBASE_CLIENT_EMAIL: 'push@demo-project.iam.gserviceaccount.com',
      FIREBASE_PRIVATE_KEY: key,
    });
    expect(code).toBe(1);
    expect(error.match(/^ +FIREBASE_PRIVATE_KEY\b.*$/gm)).toHaveLength(1);
    expect(error.trim().split('\n')).toHaveLength(2);
    expect(error).not.toContain(key);
    expect(output).toBe('');
  });

  it('starts with a Firebase service account, and without one logs that phones are reached over streams only', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const without = await run(store.environment, /Ready as/);
    expect(without.output).toContain('FIREBASE_PROJECT_ID');
    const { code, error, output } = await run(
      {
        ...store.environment,
        FIREBASE_PROJECT_ID: 'demo-project',
        FIREBASE_CLIENT_EMAIL: 'push@demo-project.iam.gserviceaccount.com',
        FIREBASE_PRIVATE_KEY: privateKey.replaceAll('\n', String.raw`\n`),
      },
      /Ready as/,
    );
    expect([code, error]).toEqual([0, '']);
    expect(output).not.toContain('FIREBASE_PROJECT_ID');
  });

  it.each([
    ['PORT', 'api'],
    ['OPS_PORT', 'worker'],
  ])('reports in one line that the port of %s is in use', async (variable, role) => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = address && typeof address === 'object' ? String(address.port) : '';
    const { code, error } = await run({ ...store.environment, APP_ROLES: role, [variable]: port });
    server.close();
    expect(code).toBe(1);
    expect(error.trim().split('\n')).toHaveLength(1);
    expect(error).toContain(`set ${variable} to`);
  });

  it('refuses the database of an earlier build in one line, for each role and admin commands, and leaves it unchanged', async () => {
    const client = await mongo.MongoClient.connect(store.environment.MONGODB_URI ?? '');
    const database = client.db(store.environment.MONGODB_DATABASE);
    await database.collection('accounts').insertOne({ email: 'old@example.com' });
    const readAll = () => readCollections(database);
    const before = await readAll();
    const asRole = (role: string) => run({ ...store.environment, APP_ROLES: role });
    const ended = await Promise.all([
      ...['api', 'worker', 'scheduler'].map(asRole),
      run(store.environment, undefined, [ADMIN, 'account', 'create', 'new@example.com']),
    ]);
    for (const { code, error } of ended) {
      expect(code).toBe(1);
      expect(error).toMatch(
        /^The database test_\w+ belongs to an earlier build, .* set MONGODB_DATABASE to .*\n$/,
      );
    }
    expect(await readAll()).toEqual(before);
    await client.close();
  });

  it('listens on OPS_PORT, or not at all, without the api role', async () => {
    const watched = { ...store.environment, APP_ROLES: 'worker,scheduler' };
    const [listening, silent] = [
      await run({ ...watched, OPS_PORT: '0' }, /Ready as/),
      await run(watched, /Ready as/),
    ];
    expect([listening.code, silent.code]).toEqual([0, 0]);
    expect(listening.output).toContain('Listening on http://127.0.0.1:');
    expect(silent.output).not.toContain('Listening');
  });

  it('creates an account in an empty database, prints its key once, and exits on SIGTERM', async () => {
    const first = await run(store.environment, /Ready as api, worker, scheduler/);
    expect(first.code).toBe(0);
    expect(first.error).toBe('');
    expect(first.output.match(/mgw_[0-9A-Za-z]{32}\b/g)).toHaveLength(1);
    const second = await run(store.environment, /Ready as/);
    expect(second.output).not.toMatch(/mgw_/);
  });

  it('creates one account when two processes start on an empty database', async () => {
    const both = await Promise.all([run(store.environment, /Ready as/), run(store.environment, /Ready as/)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.flatMap(({ output }) => output.match(/mgw_[0-9A-Za-z]{32}\b/g) ?? [])).toHaveLength(1);
  });

  it('uses the configured account and key, and never prints the key', async () => {
    const key = 'any string of 20 characters is one';
    const { output, code } = await run(
      {
        ...store.environment,
        BOOTSTRAP_EMAIL: 'Me@Example.com',
        BOOTSTRAP_API_KEY: key,
        APP_ROLES: 'scheduler',
      },
      /Ready as scheduler/,
    );
    expect(code).toBe(0);
    expect(output).toContain('me@example.com');
    expect(output).not.toContain(key);
  });
});
