import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { createConnection } from 'mongoose';
import { RecountScheduler } from '../../src/gateway/recounts/recount.scheduler';
import { TestClient } from '../support/client';
import { runProgram } from '../support/program';
import { newEncryptionKey, TestService } from '../support/service';
import { WebhookReceiver } from '../support/webhook-receiver';

const ADMIN = join(__dirname, '..', '..', 'dist', 'admin.js');
const LAUNCHER = join(__dirname, '..', '..', 'tools', 'admin.ts');
const TSX = join(__dirname, '..', '..', 'node_modules', '.bin', 'tsx');

/** The operator's commands as they are built, from the outside. */
describe('the operator’s commands', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const admin = (...args: string[]) =>
    runProgram(process.execPath, [ADMIN, ...args], { environment: service.environment });

  it('makes an account on a plan, its key, and shows both', async () => {
    const email = 'ada@example.com';
    const made = await admin('account', 'create', 'Ada@example.com', '--name', 'Ada', '--plan', 'free');
    expect(made).toMatchObject({ code: 0, error: '' });
    const key = await admin('key', 'create', email, '--name', 'Office');
    expect(key).toMatchObject({ code: 0, error: '' });
    expect(key.output).toMatch(/^mgw_[0-9A-Za-z]{32}\n$/);

    const account = await service.collection('accounts').findOne({ email });
    if (!account) throw new Error('There is no account');
    const ada = new TestClient(service.url, key.output.trim(), account._id);
    const device = await ada.newDevice({ name: 'Kitchen' });
    expect(await ada.send(['+4915112345678'])).toMatch(/^[\da-f]{24}$/); // it is verified
    const plan = async () => (await ada.get('/billing/current-subscription')).body as { plan: object };
    expect((await plan()).plan).toMatchObject({ name: 'free' });

    expect((await admin('account', 'plan', email, 'pro')).code).toBe(0);
    expect((await plan()).plan).toMatchObject({ name: 'pro' });
    const { output } = await admin('account', 'list');
    expect(output).toContain(`${account._id.toHexString()}\t${email}\tAda\tpro\tverified\n`);
    expect((await admin('device', 'list', email)).output).toBe(
      `${device}\tKitchen\tenabled\tnever heard\tdefault\n`,
    );
  }, 60_000);

  it.each([
    [['account', 'create', 'ada@example.com'], 1, 'already'],
    [['account', 'plan', 'ada@example.com', 'gold'], 1, 'free, pro, unlimited'],
    [['key', 'create', 'nobody@example.com'], 1, 'nobody@example.com'],
    [['secrets', 'rotate', 'now'], 2, 'One word too many: now'],
    [['account', 'remove'], 2, 'There is no command account remove'],
  ])('%j: one line that says why', async (args, code, reason) => {
    const ended = await admin(...args);
    expect(ended).toMatchObject({ code, output: '' });
    expect(ended.error.split('\n', 1)[0]).toContain(reason);
    expect(ended.error).not.toMatch(/\n\s+at /);
    if (code === 1) expect(ended.error.trim().split('\n')).toHaveLength(1);
  });

  it('makes all upkeep due', async () => {
    const rounds = service.collection('rounds');
    await service.get(RecountScheduler).sweep();
    const next = { dueAt: { $gt: new Date(Date.now() + 3_600_000) } };
    expect(await rounds.countDocuments(next)).toBeGreaterThan(1);
    expect(await admin('upkeep', 'now')).toMatchObject({ code: 0, error: '' });
    expect(await rounds.countDocuments(next)).toBe(0);
  });

  it('encrypts the signing secrets with a new key, so that the old one can go', async () => {
    const client = await service.newAccount();
    const signingSecret = 'a secret of more than 20 characters';
    const created = await client
      .post('/webhooks', { deliveryUrl: 'https://example.com', signingSecret, events: ['MESSAGE_SENT'] })
      .expect(201);
    const path = `/webhooks/${(created.body as { data: { _id: string } }).data._id}`;
    const { ENCRYPTION_KEYS: oldKey = '' } = service.environment;
    const newKey = newEncryptionKey();
    const rotate = (keys: string) =>
      runProgram(process.execPath, [ADMIN, 'secrets', 'rotate'], {
        environment: { ...service.environment, ENCRYPTION_KEYS: keys },
      });

    const without = await rotate(newKey);
    expect(without).toMatchObject({ code: 1, output: '' });
    expect(without.error).toMatch(/^A secret was encrypted with the key [\da-f]{8}, which .*\n$/);
    expect(await rotate(`${newKey},${oldKey}`)).toEqual({
      code: 0,
      output:
        'The secrets of 1 webhook subscription were encrypted anew\n' +
        'All are under the first of ENCRYPTION_KEYS now: the keys behind it can go\n',
      error: '',
    });
    expect((await rotate(newKey)).output).toContain('The secrets of 0 webhook subscriptions');

    const receiver = await WebhookReceiver.start();
    const environment = { ENCRYPTION_KEYS: newKey, WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
    const renewed = await TestService.start({ environment, shared: service });
    const there = client.at(renewed.url);
    const changed = await there.patch(path, { deliveryUrl: receiver.url }).expect(200);
    await there.post(`${path}/test`).expect(200);
    await renewed.stop();
    await receiver.stop();
    expect(changed.body).toMatchObject({ data: { signingSecret } });
    const [sample] = receiver.received;
    expect(sample?.headers['x-signature']).toBe(
      createHmac('sha256', signingSecret)
        .update(sample?.body ?? '')
        .digest('hex'),
    );
  }, 60_000);

  it('makes no first account of its own on an empty database', async () => {
    const name = `${service.environment.MONGODB_DATABASE ?? ''}_empty`;
    const listed = await runProgram(process.execPath, [ADMIN, 'account', 'list'], {
      environment: { ...service.environment, MONGODB_DATABASE: name },
    });
    const connection = createConnection(service.environment.MONGODB_URI ?? '', { dbName: name });
    await connection.asPromise();
    await connection.dropDatabase();
    await connection.close();
    expect(listed).toEqual({ code: 0, output: '', error: '' });
  });

  it('says what to do where no database is set', async () => {
    const ended = await runProgram(TSX, [LAUNCHER, 'account', 'list'], { environment: { MONGODB_URI: '' } });
    expect(ended.code).toBe(1);
    expect(ended.error).toMatch(/^MONGODB_URI is not set.*tools\/with-stack\.ts.*\n$/);
  });

  it('runs from a checkout as npm run admin has it', async () => {
    const ended = await runProgram(TSX, [LAUNCHER, 'account', 'list'], { environment: service.environment });
    expect(ended).toMatchObject({ code: 0, error: '' });
    expect(ended.output).toContain('ada@example.com');
  });
});
