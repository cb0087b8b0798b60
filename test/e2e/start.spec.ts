import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../tools/local-stack/ports';
import { eventually } from '../support/eventually';
import { newStore, TestStore } from '../support/service';

const ROOT = join(__dirname, '..', '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** What `npm start` does once the packages are installed, and the commands the README shows for it. */
describe('npm start', () => {
  let store: TestStore;
  let home: string;
  let environment: NodeJS.ProcessEnv;
  let port: number;
  let start: ChildProcess;
  let ended: Promise<unknown>;
  let output = '';

  beforeAll(async () => {
    store = newStore();
    home = mkdtempSync(join(tmpdir(), 'messaging-gateway-'));
    port = await freePort();
    environment = {
      ...process.env,
      ...store.environment,
      PORT: String(port),
      HOST: '127.0.0.1',
      LOCAL_STACK_HOME: home,
    };
    start = spawn(join(ROOT, 'node_modules', '.bin', 'tsx'), ['tools/start.ts'], {
      cwd: ROOT,
      env: environment,
    });
    ended = new Promise((resolve) => start.once('exit', resolve));
    void ended.then(() => (output += 'ENDED'));
    for (const stream of [start.stdout, start.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    await eventually(
      () => output,
      (text) => /waiting for messages|ENDED/.test(text),
      90_000,
    );
    expect(output).not.toContain('ENDED');
  }, 100_000);

  afterAll(async () => {
    start.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true });
    await store.drop();
  });

  it("gets the README's first message delivered", async () => {
    const command = /^curl .*send-sms[\s\S]*?\}'$/m.exec(README)?.[0] ?? '';
    const here = command
      .replace('127.0.0.1:3000', `127.0.0.1:${port}`)
      .replace('~/.cache/messaging-gateway', home);
    expect(here).not.toBe('');
    const { stdout } = await promisify(execFile)('bash', ['-c', here]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { success: true, recipientCount: 1 } });
    await eventually(
      () => output,
      (text) => text.includes('delivered to +4915112345678'),
    );
  });

  it('shows how to send, and never the key itself', () => {
    const key = readFileSync(join(home, 'api-key'), 'utf8');
    expect(output).toContain(`curl http://127.0.0.1:${port}/api/v1/gateway/send-sms`);
    expect(output).not.toContain(key);
  });

  it('lets the demo send through it and follow each message', async () => {
    const { stdout } = await promisify(execFile)(
      join(ROOT, 'node_modules', '.bin', 'tsx'),
      ['tools/demo.ts', '--count', '3'],
      { cwd: ROOT, env: { ...environment, API_KEY: undefined, MGW_URL: undefined } },
    );
    expect(stdout).toContain('3 messages: 3 delivered');
  });
});
