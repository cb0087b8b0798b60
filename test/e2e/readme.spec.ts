import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { loadConfiguration } from '../../src/config/configuration';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { AdbPhone } from '../support/stand-in-adb/adb-phone';
import { copyCheckout, ROOT } from '../support/checkout';
import { MarkdownPage } from '../support/markdown-page';
import { runProgram } from '../support/program';
import { RunningProgram } from '../support/running-program';
import { newStore, TestStore } from '../support/test-store';

const README = MarkdownPage.read('../README.md');

/** Commands that this test does not run, with the reason. */
const SKIPPED: Readonly<Record<string, string>> = {
  'npm ci': 'it only installs, and the copy has the packages',
  'docker compose up -d --build --wait': 'it wants a Docker engine; test/docs/compose.spec.ts reads the file',
  'docker compose exec api node dist/admin.js key create --full':
    'the same; test/e2e/admin.spec.ts runs the command',
};

/** Commands that keep running, with their output when ready. */
const READY: Readonly<Record<string, RegExp>> = {
  'npm start': /waiting for messages/,
  'node --enable-source-maps dist/main.js': /Ready as api, worker, scheduler/,
};

/** The production commands replace the packages, so they run after everything else. */
const FIRST_PRODUCTION_COMMAND = 'npm run build';

const commands = README.codeBlocks('bash').flatMap((block) => block.trim().split(/(?<!\\)\n/));

/** Runs every command of the README in order, in a fresh checkout. */
describe('README.md', () => {
  let store: TestStore;
  let checkout: string;
  let phone: AdbPhone;
  let home: string;
  let environment: Record<string, string | undefined>;
  let port: number;
  let service: RunningProgram | undefined;

  beforeAll(async () => {
    store = newStore();
    checkout = copyCheckout();
    // Hard links: npm replaces files, and does not write into them.
    for (const packages of ['node_modules', 'dashboard/node_modules'])
      execFileSync('cp', ['-al', realpathSync(join(ROOT, packages)), join(checkout, packages)]);
    // With its times, so that it is known to be current: npm start builds the service, npm run build both.
    execFileSync('cp', ['-a', join(ROOT, 'dashboard', 'dist'), join(checkout, 'dashboard', 'dist')]);
    // The phone on the cable, and the app that a person downloads.
    phone = new AdbPhone();
    copyFileSync(phone.apk('1.68.0'), join(checkout, 'app-release.apk'));
    home = mkdtempSync(join(tmpdir(), 'messaging-gateway-home-'));
    port = await freePort();
    const { MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX } = store.environment;
    environment = {
      PRINT_SIGN_IN_LINK: 'true', // As on a terminal.
      ...{ MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX },
      PORT: String(port),
      HOST: '127.0.0.1',
      HOME: home,
      ...phone.environment,
      npm_config_audit: 'false',
      npm_config_update_notifier: 'false',
    };
  });

  afterAll(async () => {
    await stopService();
    await store.drop();
    phone.remove();
    for (const folder of [checkout, home]) rmSync(folder, { recursive: true });
  });

  /** Replaces the port of the README, which may be in use on this machine. */
  const here = (command: string) => command.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`);

  async function stopService(): Promise<void> {
    await service?.stop();
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

  /** Expected results of commands, besides success. */
  const EXPECTED_RESULTS: readonly (readonly [RegExp, (output: string) => unknown])[] = [
    [
      /send-sms/,
      async (output) => {
        const [, documented] = /^It answers `(.*)`/m.exec(README.text) ?? [];
        expect(output.replace(/(?<="smsBatchId":")[\da-f]{24}/, '…')).toBe(documented);
        await service?.waitForOutput(/delivered to \+447700900123/);
      },
    ],
    [
      /npm run demo/,
      (output) => {
        expect(output).toContain('25 messages: 25 delivered');
      },
    ],
    [
      /phone:receive/,
      (output) => {
        expect(output).toMatch(/^Received from \+447700900123 by the virtual phone [\da-f]{24}$/m);
      },
    ],
    [
      /phone:usb/,
      (output) => {
        expect(output).toContain(`API URL: http://127.0.0.1:${port}/sms\n`);
        expect(output).toMatch(/By Code: \d{4} \d{3} \d{3}$/m);
        expect(phone.reversed).toEqual([`tcp:${port} tcp:${port}`]);
      },
    ],
    [
      /gateway\/messages/,
      (output) => {
        expect(output).toContain('"status":"delivered"');
        expect(README.text).toContain('"status":"delivered"');
      },
    ],
    [
      /REDIS_PASSWORD=\./,
      async () => {
        const written = readFileSync(join(checkout, '.env'), 'utf8');
        for (const command of commands.filter((line) => line.includes('openssl'))) await run(command);
        expect(readFileSync(join(checkout, '.env'), 'utf8')).toBe(written); // A new key would make stored secrets unreadable.
        const secrets = parseEnv(written);
        const { MONGODB_URI, REDIS_URL } = environment;
        expect(loadConfiguration({ MONGODB_URI, REDIS_URL, ...secrets }).encryption.keys).toHaveLength(1);
      },
    ],
  ];

  const expectedResult = async (command: string, output: string): Promise<void> => {
    for (const [pattern, check] of EXPECTED_RESULTS) if (pattern.test(command)) await check(output);
  };

  it('has only commands that this test runs or lists with a reason', () => {
    expect(commands).toEqual(expect.arrayContaining([...Object.keys(SKIPPED), ...Object.keys(READY)]));
    const languages = Array.from(README.text.matchAll(/^```(.+)$/gm), ([, language]) => language);
    expect([...new Set(languages)].sort()).toEqual(['bash', 'text']);
  });

  it.each(commands.filter((command) => !(command in SKIPPED)))('%s', async (command) => {
    if (command === FIRST_PRODUCTION_COMMAND) await stopService();
    const ready = READY[command];
    if (ready) {
      service = RunningProgram.start(command, checkout, environment);
      await service.waitForOutput(ready);
    } else await expectedResult(command, await run(command));
    if (command === 'npm start') expectScreen(service?.output ?? '');
  });

  /** The output contains what the README describes, but not the key. */
  function expectScreen(output: string): void {
    const lines = README.codeBlocks('text')[0]?.trim().split('\n') ?? [];
    expect(lines).not.toEqual([]);
    for (const line of lines) expect(output).toContain(here(line.replace(/…$/, '')));
    expect(output).toContain('building');
    expect(output).toContain(`curl http://127.0.0.1:${port}/api/v1/gateway/send-sms`);
    expect(output).not.toContain(readFileSync(join(home, '.cache', 'messaging-gateway', 'api-key'), 'utf8'));
  }
});
