import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { createConnection } from 'mongoose';
import { loadConfiguration } from '../../src/config/configuration';
import { Document } from '../support/document';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { newStore, TestStore } from '../support/service';

const ROOT = join(__dirname, '..', '..');
const README = Document.read('../README.md');

/** Commands that are not run here, and why. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'npm ci': 'it only installs, and the copy has the packages',
  'docker compose up -d --build --wait': 'it wants a Docker engine; test/docs/compose.spec.ts reads the file',
  'docker compose logs | grep mgw_': 'the same; the line it looks for is held by test/e2e/boot.spec.ts',
};

/** Commands that go on running, and what they say when they are ready. */
const READY: Readonly<Record<string, RegExp>> = {
  'npm start': /waiting for messages/,
  'node --enable-source-maps dist/main.js': /Ready as api, worker, scheduler/,
};

/** Production is another machine: it takes the code of what runs, and the packages, from under it. */
const FIRST_OF_PRODUCTION = 'npm run build';

const commands = README.blocks('bash').flatMap((block) => block.trim().split(/(?<!\\)\n/));

/** The files that are in git, as they are now, in a folder of their own with its own packages. */
function copyOfCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'messaging-gateway-'));
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0');
  for (const file of listed.filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file));
  }
  execFileSync('cp', ['-R', realpathSync(join(ROOT, 'node_modules')), join(folder, 'node_modules')]);
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port was given');
  return address.port;
}

/** Every command of the README, in its order, as somebody types it who has just cloned the repository. */
describe('README.md', () => {
  let store: TestStore;
  let checkout: string;
  let home: string;
  let environment: Record<string, string | undefined>;
  let port: number;
  let service:
    { readonly process: ChildProcess; readonly ended: Promise<unknown>; output: string } | undefined;

  beforeAll(async () => {
    store = newStore();
    checkout = copyOfCheckout();
    home = mkdtempSync(join(tmpdir(), 'messaging-gateway-home-'));
    port = await freePort();
    const { MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX } = store.environment;
    environment = {
      ...{ MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX },
      PORT: String(port),
      HOST: '127.0.0.1',
      HOME: home,
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    };
  }, 180_000);

  afterAll(async () => {
    await stopService();
    const { MONGODB_URI = '', MONGODB_DATABASE: dbName } = store.environment;
    const connection = await createConnection(MONGODB_URI, { dbName }).asPromise();
    await connection.dropDatabase();
    await connection.close();
    await store.drop();
    for (const folder of [checkout, home]) rmSync(folder, { recursive: true });
  }, 120_000);

  /** The service of this test is not the only one on the machine; its port alone is not the README's. */
  const here = (command: string) => command.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);

  async function startService(command: string, ready: RegExp): Promise<void> {
    const { PATH } = process.env;
    // A group of its own: a signal then reaches everything it has started, as Ctrl-C does.
    const options = { cwd: checkout, env: { PATH, ...environment }, detached: true } as const;
    const child = spawn('bash', ['-c', command], options);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const started = { process: child, ended, output: '' };
    service = started;
    void ended.then(() => (started.output += 'ENDED'));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (started.output += chunk.toString()));
    }
    await eventually(
      () => started.output,
      (text) => ready.test(text) || text.includes('ENDED'),
      100_000,
    );
    expect(started.output).not.toContain('ENDED');
  }

  async function stopService(): Promise<void> {
    if (service?.process.pid === undefined) return;
    process.kill(-service.process.pid, 'SIGINT');
    await service.ended;
    service = undefined;
  }

  const run = async (command: string): Promise<string> => {
    const { code, output, error } = await runProgram('bash', ['-c', here(command)], {
      environment,
      directory: checkout,
    });
    expect([command, code, error]).toEqual([command, 0, code === 0 ? error : '']);
    return output;
  };

  /** What is to come of a command, beyond that it does not fail. */
  const OUTCOMES: readonly (readonly [RegExp, (output: string) => unknown])[] = [
    [
      /send-sms/,
      async (output) => {
        const [, promised] = /^It answers `(.*)`/m.exec(README.text) ?? [];
        expect(output.replace(/(?<="smsBatchId":")[\da-f]{24}/, '…')).toBe(promised);
        await eventually(
          () => service?.output ?? '',
          (text) => text.includes('delivered to +4915112345678'),
        );
      },
    ],
    [
      /npm run demo/,
      (output) => {
        expect(output).toContain('25 messages: 25 delivered');
      },
    ],
    [
      /key create/,
      (output) => {
        expect(output).toMatch(/^mgw_[0-9A-Za-z]{32}$/m);
      },
    ],
    [
      /gateway\/devices/,
      (output) => {
        expect(JSON.parse(output)).toMatchObject({ data: [{ enabled: true }] });
      },
    ],
    [
      /ENCRYPTION_KEYS/,
      () => {
        const secrets = parseEnv(readFileSync(join(checkout, '.env'), 'utf8'));
        const { MONGODB_URI, REDIS_URL } = environment;
        expect(loadConfiguration({ MONGODB_URI, REDIS_URL, ...secrets }).encryption.keys).toHaveLength(1);
      },
    ],
  ];

  const outcomeOf = async (command: string, output: string): Promise<void> => {
    for (const [pattern, check] of OUTCOMES) if (pattern.test(command)) await check(output);
  };

  it('has commands, each of which is run here or has a reason not to be', () => {
    expect(commands).toEqual(expect.arrayContaining([...Object.keys(NOT_RUN), ...Object.keys(READY)]));
    const languages = Array.from(README.text.matchAll(/^```(.+)$/gm), ([, language]) => language);
    expect([...new Set(languages)].sort()).toEqual(['bash', 'text']);
  });

  it.each(commands.filter((command) => !(command in NOT_RUN)))(
    '%s',
    async (command) => {
      if (command === FIRST_OF_PRODUCTION) await stopService();
      const ready = READY[command];
      if (ready) await startService(command, ready);
      else await outcomeOf(command, await run(command));
      if (command === 'npm start') expectScreen(service?.output ?? '');
    },
    120_000,
  );

  /** What the README says is to be seen, how to send, and never the key itself. */
  function expectScreen(output: string): void {
    const lines = README.blocks('text').flatMap((block) => block.trim().split('\n'));
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(output).toContain(here(line));
    expect(output).toContain(`curl http://127.0.0.1:${port}/api/v1/gateway/send-sms`);
    expect(output).not.toContain(readFileSync(join(home, '.cache', 'messaging-gateway', 'api-key'), 'utf8'));
  }
});
