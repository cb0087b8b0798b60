import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from 'messaging-gateway-local-stack/ports';
import { VirtualPhone } from 'messaging-gateway-phone';
import type { TestClient } from '../support/client';
import { MarkdownPage } from '../support/markdown-page';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { TestService } from '../support/service';
import { withTemporaryFolder } from '../support/verifiers';

const ROOT = join(__dirname, '..', '..');
const PHONE = '+447700900123';

const document = MarkdownPage.read('use/recipes.md');

/** Runs the programs of the document on the real service. */
describe('docs/use/recipes.md', () => {
  let service: TestService;
  let client: TestClient;
  let phone: VirtualPhone;
  let environment: Record<string, string | undefined>;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
    environment = { GATEWAY: `${service.url}/api/v1`, API_KEY: client.apiKey };
  });
  afterEach(() => phone.stop());
  afterAll(() => service.stop());

  const run = (directory: string, file: string) =>
    runProgram(process.execPath, [file], { directory, environment });

  it('one-time codes: only the latest is valid, once, for five minutes and five tries', async () => {
    const files = {
      'codes.mjs': document.codeFile('codes.mjs'),
      // Read the code from the message list.
      'main.mjs': `
import { isRightCode, sendCode, stateOf } from './codes.mjs';
const phone = '${PHONE}';
async function read(id) {
  const headers = { 'x-api-key': process.env.API_KEY };
  const answer = await fetch(process.env.GATEWAY + '/gateway/messages?smsBatchId=' + id, { headers });
  return (await answer.json()).data[0].message.slice(0, 6);
}
async function delivered(id) {
  while ((await stateOf(id)) !== 'delivered') await new Promise((resolve) => setTimeout(resolve, 50));
  return read(id);
}
const verdicts = [isRightCode(phone, '123456')];
const first = await delivered(await sendCode(phone));
const second = await delivered(await sendCode(phone));
verdicts.push(isRightCode(phone, first === second ? 'x' : first), isRightCode(phone, 'ünï'));
verdicts.push(isRightCode(phone, second), isRightCode(phone, second));
const third = await read(await sendCode(phone));
const wrong = third === '000000' ? '000001' : '000000';
for (let tries = 0; tries < 5; tries += 1) verdicts.push(isRightCode(phone, wrong));
verdicts.push(isRightCode(phone, third));
const fourth = await read(await sendCode(phone));
const now = Date.now();
Date.now = () => now + 5 * 60_000 + 1_000;
verdicts.push(isRightCode(phone, fourth));
console.log(JSON.stringify(verdicts));
await sendCode('nobody').catch((failure) => console.log(failure.message));
`,
    };
    const { code, output, error } = await withTemporaryFolder(files, (directory) =>
      run(directory, 'main.mjs'),
    );
    expect([code, error]).toEqual([0, '']);
    const [verdicts = '', refusal = ''] = output.split('\n');
    const tries = [false, false, false, false, false];
    expect(JSON.parse(verdicts)).toEqual([false, false, false, true, false, ...tries, false, false]);
    expect(refusal).toContain('recipients.0 "nobody" is not a phone number');
    await phone.until('onAir', 4);
    const texts = phone.airLog.map(({ text }) => text);
    expect(texts.every((text) => /^\d{6} is your code, for 5 minutes\.$/.test(text))).toBe(true);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  it('a campaign: the command sends the file', async () => {
    const [contacts = ''] = document.codeBlocks('csv');
    const command = document.codeBlocks('bash').find((block) => block.startsWith('npm run send')) ?? '';
    expect(command).not.toBe('');
    const ended = await withTemporaryFolder({ 'contacts.csv': contacts }, (directory) =>
      runProgram('sh', ['-c', command.replace('contacts.csv', join(directory, 'contacts.csv'))], {
        directory: ROOT,
        environment: { MGW_URL: service.url, API_KEY: client.apiKey },
      }),
    );
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.output).toContain('2 messages are queued in 1 batch\n');
    await phone.until('onAir', 2);
    expect(phone.airLog.map(({ recipient, text }) => [recipient, text]).sort()).toEqual([
      ['+447700900123', 'Hi Ada, see you on Monday.'],
      ['+447700900124', 'Hi Grace, see you on Tuesday.'],
    ]);
  });

  describe('replies', () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`;
    let endpoint: ChildProcess | undefined;
    afterEach(() => endpoint?.kill());

    it('are sent once from the receiving phone, but not to short codes and names', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/`;
      const files = {
        'verify.mjs': MarkdownPage.read('use/webhooks.md').codeFile('verify.mjs'),
        'replies.mjs': document.codeFile('replies.mjs'),
      };
      const other = await client.newDevice();
      await client.post(`/gateway/devices/${other}/set-default`).expect(200);
      await withTemporaryFolder(files, async (directory) => {
        const env = { ...environment, PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
        endpoint = spawn(process.execPath, ['replies.mjs'], { cwd: directory, env });
        await eventually(
          () => fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => status, String),
          (answer) => answer === 401,
        );
        const events = ['MESSAGE_RECEIVED', 'MESSAGE_SENT'];
        await client.post('/webhooks', { deliveryUrl: url, signingSecret: secret, events }).expect(201);
        for (const [sender, text] of [
          [PHONE, ' hours '],
          ['+447700900124', 'Address'],
          [PHONE, 'thank you'],
          ['12345', 'HOURS'],
          ['Shop', 'ADDRESS'],
        ] as const) {
          await phone.receiveSms(sender, text);
        }
        await phone.until('onAir', 2);
        const history = await eventually(
          async () => (await client.get('/webhooks/notifications?limit=100')).body as History,
          ({ data }) => data.data.filter(({ computedStatus }) => computedStatus === 'delivered').length >= 7,
        );
        expect(history.data.data.every(({ httpStatusCode }) => httpStatusCode === 204)).toBe(true);
        const [received] = history.data.data.filter(
          ({ payload }) => payload.message === ' hours ' || payload.message === 'Address',
        );
        await client.post(`/webhooks/notifications/${received?._id ?? ''}/redeliver`).expect(200);
        await eventually(
          async () => (await client.get(`/webhooks/notifications/${received?._id ?? ''}`)).body as Delivery,
          ({ data }) => data.deliveryAttemptCount === 2 && data.computedStatus === 'delivered',
        );
      });
      expect(phone.airLog.map(({ recipient, text }) => [recipient, text]).sort()).toEqual([
        ['+447700900123', 'We are open from 9 to 17.'],
        ['+447700900124', 'You find us at 5 Harbour Street.'],
      ]);
    });
  });

  it('the typed client: works as installed', async () => {
    const files = { 'client.mjs': document.codeFile('client.mjs') };
    await withTemporaryFolder(files, async (directory) => {
      const installed = join(directory, 'node_modules', 'messaging-gateway-client');
      const build = [join(ROOT, 'client', 'scripts', 'build.ts'), installed];
      const compiled = await runProgram(join(ROOT, 'node_modules', '.bin', 'tsx'), build);
      expect([compiled.code, compiled.output]).toEqual([0, '']);
      expect(existsSync(join(installed, 'index.d.ts'))).toBe(true);
      const { code, output, error } = await run(directory, 'client.mjs');
      expect([code, error]).toEqual([0, '']);
      expect(output).toMatch(/^\+447700900123: (pending|dispatched|sent|delivered)\n$/);
    });
  });

  describe('commands', () => {
    const lines = document.codeBlocks('bash').flatMap((block) => block.trim().split('\n'));
    const commandsOf = (name: string) => lines.filter((line) => line.startsWith(name));
    const bash = (script: string, variables: object) =>
      runProgram('bash', ['-ec', script], { directory: ROOT, environment: variables });

    it('are run by these tests', () => {
      const tested = ['export ', 'npm run send ', 'npm run phone:receive ', 'npm run admin '];
      expect(tested.flatMap(commandsOf).sort()).toEqual([...lines].sort());
      expect(tested.filter((name) => commandsOf(name).length === 0)).toEqual([]);
    });

    it('set the address and the key', async () => {
      await withTemporaryFolder({ '.cache/messaging-gateway/api-key': 'mgw_key' }, async (HOME) => {
        const script = [...commandsOf('export '), 'echo "$GATEWAY $API_KEY"'].join('\n');
        const { output } = await bash(script, { HOME });
        expect(output).toBe('http://127.0.0.1:3000/api/v1 mgw_key\n');
      });
    });

    it('receive a message with the virtual phone', async () => {
      const [command = ''] = commandsOf('npm run phone:receive ');
      const { code, output } = await bash(command, { MGW_URL: service.url, API_KEY: client.apiKey });
      expect([code, output]).toEqual([
        0,
        expect.stringContaining(`Received from +447700900123 by the virtual phone ${phone.deviceId}`),
      ]);
    });

    it('revoke the key of a lost phone and disable it', async () => {
      const account = await service.collection('accounts').findOne({ _id: client.user });
      const email = String(account?.email);
      const script = commandsOf('npm run admin ')
        .map((line) => line.replace('npm run admin --', 'node dist/admin.js'))
        .map((line) => line.replace('mgw_abcd', client.apiKey.slice(0, 8)))
        .map((line) => `${line.replace(/\b[0-9a-f]{24}\b/, phone.deviceId)} ${email}`);
      const { code, output, error } = await bash(script.join('\n'), service.environment);
      expect([code, error]).toEqual([0, '']);
      expect(output).toContain(phone.deviceId);
      await client.get('/gateway/devices').expect(401);
      const device = await service.collection('devices').findOne({ user: client.user });
      expect(device).toMatchObject({ enabled: false });
    });
  });

  it('migration: all documented paths and fields exist', () => {
    const api = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
    const { paths } = JSON.parse(api) as { paths: Record<string, Record<string, object> | undefined> };
    const calls = document
      .table('Older path')
      .flatMap((cells) => cells.join(' ').match(/(GET|POST) [^`]+/g) ?? []);
    expect(calls).toHaveLength(8);
    for (const call of calls) {
      const [method = '', path = ''] = call.split(' ');
      expect([call, paths[`/api/v1/${path}`]?.[method.toLowerCase()]]).toEqual([call, expect.anything()]);
    }
    const names = document.table('What').flatMap((cells) => cells.at(-1)?.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
    expect(names.length).toBeGreaterThan(15);
    const isKnown = (name: string) => api.toLowerCase().includes(`"${name.toLowerCase()}"`);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });
});

interface History {
  data: {
    data: {
      _id: string;
      computedStatus: string;
      httpStatusCode: number;
      payload: { message: string };
    }[];
  };
}

interface Delivery {
  data: { computedStatus: string; deliveryAttemptCount: number };
}
