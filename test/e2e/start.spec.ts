import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Types } from 'mongoose';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { urlForPhones } from '../../tools/start/addresses';
import { copyCheckout, ROOT } from '../support/checkout';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RunningProgram } from '../support/running-program';
import { newStore, TestStore } from '../support/test-store';

interface Listed {
  readonly data: readonly { readonly _id: string; readonly name?: string; readonly enabled: boolean }[];
}

const VIRTUAL_PHONE_DISABLED = /Another phone is paired: the virtual phone is disabled/;

/** Runs `npm start` in a separate checkout, with one database for all tests. */
describe('npm start', () => {
  let store: TestStore;
  let checkout: string;
  let home: string;
  let port: number;
  let started: RunningProgram | undefined;
  let client: TestClient;
  let phone: string;

  beforeAll(async () => {
    store = newStore();
    checkout = copyCheckout();
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    // With its times, so that it is known to be current; test/e2e/readme.spec.ts builds.
    for (const built of ['dist', 'dashboard/dist'])
      execFileSync('cp', ['-a', join(ROOT, built), join(checkout, built)]);
    home = mkdtempSync(join(tmpdir(), 'messaging-gateway-home-'));
    port = await freePort();
    // as in the template
    writeFileSync(join(checkout, '.env'), `HOST=\nPORT=${port}\nBOOTSTRAP_API_KEY=\nFIREBASE_PROJECT_ID=\n`);
  });

  afterEach(async () => {
    await started?.stop();
    started = undefined;
  });

  afterAll(async () => {
    await store.drop();
    for (const folder of [checkout, home]) rmSync(folder, { recursive: true });
  });

  /** Without the secrets of the store, because `npm start` creates its own. */
  async function start(ready: RegExp, more: Record<string, string> = {}, args = ''): Promise<RunningProgram> {
    const { MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX } = store.environment;
    const environment = { MONGODB_URI, MONGODB_DATABASE, REDIS_URL, REDIS_PREFIX, HOME: home, ...more };
    started = RunningProgram.start(`npx tsx tools/start.ts ${args}`, checkout, environment);
    await started.waitForOutput(ready);
    return started;
  }

  const keyFile = () => join(home, '.cache', 'messaging-gateway', 'api-key');

  const devices = async () => {
    const { data } = (await client.get('/gateway/devices')).body as Listed;
    return Object.fromEntries(data.map(({ name = '', enabled }) => [name, enabled]));
  };

  it('pairs a virtual phone, which is disabled by a real one', async () => {
    const { output } = await start(/connected, waiting for messages/);
    expect(output).not.toContain('building');
    expect(output).not.toContain('Dashboard:'); // It is not a terminal.
    expect(output).toContain('PRINT_SIGN_IN_LINK=true prints them.');
    const outside = urlForPhones({ PORT: String(port) }, networkInterfaces());
    if (outside) expect(output).toContain(`For phones in the same network: ${outside}/api/v1\n`);
    else expect(output).not.toContain('same network');

    client = new TestClient(
      `http://127.0.0.1:${port}`,
      readFileSync(keyFile(), 'utf8'),
      new Types.ObjectId(),
    );
    expect(await devices()).toEqual({ 'Virtual phone': true });
    phone = await client.newDevice({ name: 'My own' });
    await client.post(`/gateway/devices/${phone}/heartbeat`).expect(200);
    await started?.waitForOutput(VIRTUAL_PHONE_DISABLED);
    expect(await devices()).toEqual({ 'Virtual phone': false, 'My own': true });
    const batch = await client.send(['+447700900123']);
    expect((await client.batch(phone, batch)).messages).toHaveLength(1);
    expect(started?.isRunning).toBe(true);

    // It is enabled again when the real one is gone.
    await client.patch(`/gateway/devices/${phone}`, { enabled: false }).expect(200);
    await started?.waitForOutput(/No other phone is reachable: the virtual phone is enabled/);
    await eventually(devices, (all) => all['Virtual phone'] === true, 20_000);
    await client.patch(`/gateway/devices/${phone}`, { enabled: true }).expect(200);
    await eventually(devices, (all) => all['Virtual phone'] === false, 20_000);
  });

  it('prints a link that signs in, if it is asked to', async () => {
    await start(/^Dashboard: http/m, { PRINT_SIGN_IN_LINK: 'true' });
    await started?.waitForOutput(/^  code {4}\d{4} \d{3} \d{3}$/m);
    const [, token] =
      /^Dashboard: http:\/\/127\.0\.0\.1:\d+\/sign-in#token=(\S+)$/m.exec(started?.output ?? '') ?? [];
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect(answer.status).toBe(201);
  });

  it('does not pair it beside another phone with a separate key', async () => {
    const { output } = await start(VIRTUAL_PHONE_DISABLED, { BOOTSTRAP_API_KEY: client.apiKey });
    expect(output).not.toContain('registered as Virtual phone');
    expect(output).toContain('x-api-key: <the key in BOOTSTRAP_API_KEY>');
    await client.patch(`/gateway/devices/${phone}`, { enabled: false }).expect(200);
  });

  it('pairs it again when the other phone is gone, also with Firebase', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await start(/connected, waiting for messages/, {
      FIREBASE_PROJECT_ID: 'project',
      FIREBASE_CLIENT_EMAIL: 'service@project.example',
      FIREBASE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    });
    expect(await devices()).toEqual({ 'Virtual phone': true, 'My own': false });
    await client.send(['+447700900123']);
    await started?.waitForOutput(/delivered to \+447700900123/);
  });

  it('prints how to create a key if its own is invalid', async () => {
    await start(/npm run admin -- key create --full/, { BOOTSTRAP_API_KEY: 'a key that was never made' });
  });

  it('restarts the service after a change with --watch', async () => {
    const read = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
      return answer?.text();
    };
    await start(/API documentation:/, {}, '--watch');
    // The watcher may start it once more.
    await eventually(read, (text) => text === '{"status":"ok"}', 240_000);
    const file = join(checkout, 'src', 'ops', 'health.controller.ts');
    writeFileSync(file, readFileSync(file, 'utf8').replace("{ status: 'ok' }", "{ status: 'changed' }"));
    await eventually(read, (text) => text === '{"status":"changed"}', 240_000);
  });
});
