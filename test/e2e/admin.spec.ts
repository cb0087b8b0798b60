import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import jsQR from 'jsqr';
import { createConnection, Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { generateApiKey, toStoredKey } from '../../src/auth/api-keys/api-key';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import type { Migration } from '../../src/migrations/migration';
import { MIGRATIONS } from '../../src/migrations/migrations';
import { homeFrom } from 'messaging-gateway-local-stack/home';
import { readState } from 'messaging-gateway-local-stack/state-file';
import { runAdminHere } from '../support/admin';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { TestService } from '../support/service';
import { newEncryptionKey } from '../support/test-store';
import { SessionClient } from '../support/session-client';
import { WebhookReceiver } from '../support/webhook-receiver';

const ADMIN = join(__dirname, '..', '..', 'dist', 'admin.js');
const LAUNCHER = join(__dirname, '..', '..', 'tools', 'admin.ts');
const TSX = join(__dirname, '..', '..', 'node_modules', '.bin', 'tsx');

describe('admin commands', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  const admin = (...args: string[]) => runAdminHere(service.environment, args);

  it('creates an account on a plan and a key, and lists both', async () => {
    const email = 'ada@example.com';
    const made = await admin('account', 'create', 'Ada@example.com', '--name', 'Ada', '--plan', 'free');
    expect(made).toMatchObject({ code: 0, error: '' });
    const key = await admin('key', 'create', email, '--full', '--name', 'Office');
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
      `${device}\tKitchen\tenabled\tno heartbeat\tdefault\n`,
    );
  });

  it('prints a sign-in link that works once and allows setting the first password', async () => {
    const email = 'link@example.com';
    await admin('account', 'create', email);
    const made = await admin('sign-in-link', '--email', email);
    expect(made).toMatchObject({ code: 0, error: '' });
    const [, token] = /^http:\/\/127\.0\.0\.1:\d+\/sign-in#token=(mgl_[\w-]{43})\n$/.exec(made.output) ?? [];
    const visitor = new SessionClient(service.url);
    const opened = await visitor.post('/auth/session', { token });
    const { accessToken } = (opened.body as { data: { accessToken: string } }).data;
    const newPassword = 'correct horse battery';
    const owner = new SessionClient(service.url, accessToken);
    expect((await owner.post('/auth/change-password', { newPassword })).status).toBe(200);
    await visitor.logIn(email, newPassword);
    expect((await visitor.post('/auth/session', { token })).status).toBe(400);
    expect((await admin('sign-in-link', '--email', 'nobody@example.com')).code).toBe(1);
  });

  it('prints a pairing code for an account, and the addresses for the app', async () => {
    const email = 'pia@example.com';
    expect((await admin('account', 'create', email)).code).toBe(0);
    const account = await service.collection('accounts').findOne({ email });
    if (!account) throw new Error('There is no account');
    const { output, error } = await admin('pairing', 'code', email);
    const [code = '', ...addresses] = output.trim().split('\n');
    expect([code, error]).toEqual([expect.stringMatching(/^\d{10}$/), '']);
    expect(addresses.at(-1)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sms\tcable\trelease$/);
    const redeemed = await new SessionClient(service.url).post('/auth/pairing-codes/redemptions', { code });
    // The command has its own clock, which is that of the service while no test has advanced it.
    expect(redeemed.status).toBe(201);
    const other = await admin('pairing', 'code', email, '--replaces', new Types.ObjectId().toHexString());
    expect(other).toMatchObject({
      code: 1,
      error: expect.stringContaining('no device with this id') as string,
    });
  });

  it('lists and retries events that were set aside', async () => {
    for (const command of ['list', 'retry'])
      expect((await admin('events', command)).output).toBe('No events are set aside\n');
    const messages = service.collection('messages');
    const now = service.clock.now();
    const relayAloneAt = new Date(now.getTime() + 3_600_000);
    const message = { user: new Types.ObjectId(), relaySetAsideAt: now, relayAloneAt };
    const { insertedId } = await messages.insertOne({ ...message, relayAttempts: 5 });
    const row = ['message', insertedId.toHexString(), message.user.toHexString(), now.toISOString(), '5'];
    expect((await admin('events', 'list')).output).toBe(`${row.join('\t')}\n`);
    const retried = await admin('events', 'retry');
    expect(retried).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^The events of 1 message are due: /) as string,
    });
    const stored = (await messages.findOne({ _id: insertedId })) as { relayAloneAt?: Date } | null;
    expect(stored?.relayAloneAt).not.toEqual(relayAloneAt);
    await messages.deleteOne({ _id: insertedId });
  });

  it('locks out a lost phone: refuses its key and sends no messages through it', async () => {
    const email = 'lost@example.com';
    await admin('account', 'create', email);
    const keys = [];
    for (const name of ['Lost', 'Kept']) {
      const kind = name === 'Kept' ? ['--full'] : [];
      keys.push((await admin('key', 'create', email, '--name', name, ...kind)).output.trim());
    }
    const [lost, kept] = keys.map((key) => new TestClient(service.url, key, new Types.ObjectId()));
    if (!lost || !kept) throw new Error('There are no keys');
    const device = await lost.newDevice({ name: 'Kitchen' });

    const rows = async () => (await admin('key', 'list', email)).output.split('\n').filter(Boolean);
    const [keptRow, lostRow] = (await rows()).map((row) => row.split('\t'));
    expect(keptRow).toEqual([
      expect.stringMatching(/^[\da-f]{24}$/),
      kept.apiKey.slice(0, 8),
      'Kept',
      expect.stringMatching(/Z$/),
      'never used',
      '',
      'full',
      '',
    ]);
    expect(lostRow?.slice(1, 3)).toEqual([lost.apiKey.slice(0, 8), 'Lost']);
    expect(await admin('key', 'revoke', lost.apiKey.slice(0, 8), email)).toMatchObject({
      code: 0,
      error: '',
    });
    expect((await lost.get('/auth/who-am-i')).status).toBe(401);
    expect(await rows()).toHaveLength(1);

    const disabled = await admin('device', 'disable', device, email);
    expect(disabled).toEqual({
      code: 0,
      output: 'Kitchen is disabled: no messages are sent through it\n',
      error: '',
    });
    expect((await admin('device', 'list', email)).output).toContain('\tKitchen\tdisabled\t');
    const send = await kept.post('/gateway/send-sms', { message: 'x', recipients: ['111'] });
    expect(send).toMatchObject({ status: 400, body: { code: 'NO_ENABLED_DEVICE' } });

    expect(await admin('key', 'revoke', keptRow?.[0] ?? '', email)).toMatchObject({ code: 0, error: '' });
    expect((await kept.get('/gateway/stats')).status).toBe(401);
  });

  it('revokes no key if the prefix is ambiguous, and lists the matches', async () => {
    const { user, apiKey } = await service.newAccount();
    const email = `${user.toHexString()}@example.com`;
    const start = apiKey.slice(0, 8);
    const twin = { ...toStoredKey(generateApiKey()), start };
    await service.get(ApiKeysRepository).upsert(accountScope(user), twin, 'Twin', new Date());
    const { code, error } = await admin('key', 'revoke', start, email);
    const ids = (await service.collection('apikeys').find({ user }).toArray()).map(({ _id }) => String(_id));
    expect(code).toBe(1);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(error).toContain(id);
    expect(await service.collection('apikeys').countDocuments({ user, revokedAt: { $exists: true } })).toBe(
      0,
    );
  });

  it('prints the key as a QR code', async () => {
    await admin('account', 'create', 'qr@example.com');
    const { code, output } = await admin('key', 'create', 'qr@example.com', '--qr');
    const [key = '', ...lines] = output.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.pop()).toBe('To pair a phone, scan it with the app');
    const picture = pictureOf(lines);
    expect(jsQR(picture.data, picture.width, picture.height, { inversionAttempts: 'dontInvert' })?.data).toBe(
      key,
    );
    const phone = new TestClient(service.url, key, new Types.ObjectId());
    await phone.get('/gateway/stats').expect(401);
    await phone.newDevice();
  });

  it.each([
    [['account', 'create', 'ada@example.com'], 1, 'already'],
    [['account', 'plan', 'ada@example.com', 'gold'], 1, 'free, pro, unlimited'],
    [['key', 'create', 'nobody@example.com'], 1, 'nobody@example.com'],
    [['key', 'create'], 1, 'ada@example.com, '],
    [['key', 'revoke', 'mgw_none', 'ada@example.com'], 1, 'mgw_none; run "key list"'],
    [['device', 'disable', '0'.repeat(24), 'ada@example.com'], 1, 'The account has no device'],
    [['plan', 'show', 'gold'], 1, 'free, pro, unlimited'],
    [['plan', 'set', 'gold', '--daily', '10'], 1, 'also pass --monthly, --batch'],
  ])('%j fails with one line that gives the reason', async (args, code, reason) => {
    const ended = await admin(...args);
    expect(ended).toMatchObject({ code, output: '' });
    expect(ended.error.split('\n', 1)[0]).toContain(reason);
    expect(ended.error.trim().split('\n')).toHaveLength(1);
  });

  it('enables a disabled phone', async () => {
    const client = await service.newAccount();
    const email = `${client.user.toHexString()}@example.com`;
    const device = await client.newDevice({ name: 'Kitchen' });
    await admin('device', 'disable', device, email);
    const send = () => client.post('/gateway/send-sms', { message: 'x', recipients: ['111'] });
    expect((await send()).status).toBe(400);
    expect(await admin('device', 'enable', device, email)).toEqual({
      code: 0,
      output: 'Kitchen is enabled\n',
      error: '',
    });
    await send().expect(200);
  });

  it('creates, changes and shows plans', async () => {
    const limits = ['--daily', '10', '--monthly', 'unlimited', '--batch', '5'];
    const made = await admin('plan', 'set', 'team', '--display-name', 'Team', ...limits);
    expect(made).toEqual({ code: 0, output: 'team\tTeam\t10\tunlimited\t5\n', error: '' });
    expect(await admin('plan', 'set', 'team', '--daily', '20')).toMatchObject({ code: 0 });
    const { output } = await admin('plan', 'list');
    expect(output).toContain('free\tFree\t50\t300\t50\n');
    expect(output).toContain('team\tTeam\t20\tunlimited\t5\n');
    expect((await admin('plan', 'show', 'team')).output).toBe('team\tTeam\t20\tunlimited\t5\n');
  });

  it('sanitizes names, so that none controls the terminal or forges a row', async () => {
    const owner = await service.newAccount();
    const email = `${owner.user.toHexString()}@example.com`;
    await owner.newDevice();
    const plans = service.collection('plans');
    const limits = ['--daily', '1', '--monthly', '1', '--batch', '1'];
    await admin('plan', 'set', 'hostile', '--display-name', 'Hostile', ...limits);
    const name = 'a\u001b[2Jb\u202Ec\rd\u0007\tforged\nforged';
    const set = { $set: { name } };
    await service.collection('accounts').updateOne({ _id: owner.user }, set);
    for (const stored of ['devices', 'apikeys'])
      await service.collection(stored).updateMany({ user: owner.user }, set);
    await plans.updateOne({ displayName: 'Hostile' }, { $set: { displayName: name } });
    const [device, key] = await Promise.all(
      ['devices', 'apikeys'].map((stored) => service.collection(stored).findOne({ user: owner.user })),
    );
    const commands = [
      ['account', 'list'],
      ['device', 'list', email],
      ['device', 'disable', String(device?._id), email],
      ['key', 'list', email],
      ['plan', 'list'],
      ['plan', 'show', 'hostile'],
      ['plan', 'set', 'hostile', '--daily', '2'],
    ];
    for (const command of commands) {
      const { code, output, error } = await admin(...command);
      expect([command, code, error]).toEqual([command, 0, '']);
      expect(output).toContain('forged forged');
      expect(output).not.toMatch(/[^\P{Cc}\t\n]|\u202E/u);
      expect(output).not.toMatch(/[\t\n]forged/);
    }
    const revoked = await admin('key', 'revoke', String(key?._id), email);
    expect(revoked.output).toContain('forged forged) is revoked');
    await plans.deleteOne({ displayName: name });
  });

  it('runs migrations, and reports when none is pending', async () => {
    const list = MIGRATIONS as Migration[];
    const ran: string[] = [];
    list.push({
      name: '0001-one',
      run: ({ db }) => {
        ran.push(db.databaseName);
        return Promise.resolve();
      },
    });
    const first = await admin('migrate').finally(() => list.pop());
    expect(first).toEqual({
      code: 0,
      output: 'Migration 0001-one finished\nNo pending migrations\n',
      error: '',
    });
    expect(ran).toEqual([service.environment.MONGODB_DATABASE]);
    expect(await admin('migrate')).toEqual({ code: 0, output: 'No pending migrations\n', error: '' });
  });

  it('prints the commands that shard the database, and runs them only on a cluster', async () => {
    const printed = await admin('shard');
    expect(printed).toMatchObject({ code: 0, error: '' });
    const database = service.environment.MONGODB_DATABASE ?? '';
    expect(printed.output).toContain(
      `runCommand({"shardCollection":"${database}.messages","key":{"user":1,"_id":"hashed"}})\n`,
    );
    expect(await admin('shard', '--apply')).toEqual({
      code: 1,
      output: '',
      error: 'Nothing was sharded: MONGODB_URI is not the address of a mongos\n',
    });
  });

  it('makes all maintenance jobs due', async () => {
    service.stopTimers();
    const leases = service.collection('leases');
    const later = { heldUntil: { $gt: new Date(Date.now() + 30_000) } };
    await eventually(
      async () => {
        await service.get(MaintenanceScheduler).runDue();
        return leases.countDocuments(later);
      },
      (held) => held > 1,
    );
    expect(await admin('maintenance', 'run')).toMatchObject({ code: 0, error: '' });
    expect(await leases.countDocuments(later)).toBe(0);
  });

  it('re-encrypts the signing secrets with a new key, so that the old one can be removed', async () => {
    const client = await service.newAccount();
    const signingSecret = 'a secret of more than 20 characters';
    const created = await client
      .post('/webhooks', { deliveryUrl: 'https://example.com', signingSecret, events: ['MESSAGE_SENT'] })
      .expect(201);
    await client.post('/gateway/suppressions', { number: '+447700900123' }).expect(201);
    const path = `/webhooks/${(created.body as { data: { _id: string } }).data._id}`;
    const { ENCRYPTION_KEYS: oldKey = '' } = service.environment;
    const newKey = newEncryptionKey();
    const rotate = (keys: string) =>
      runAdminHere({ ...service.environment, ENCRYPTION_KEYS: keys }, ['secrets', 'rotate']);

    const without = await rotate(newKey);
    expect(without).toMatchObject({ code: 1, output: '' });
    expect(without.error).toMatch(/^A secret was encrypted with the key [\da-f]{8}, which .*\n$/);
    expect(await rotate(`${newKey},${oldKey}`)).toEqual({
      code: 0,
      output:
        'Re-encrypted the secrets of 1 webhook subscription\n' +
        'Re-encrypted the secret by which blocked numbers are found\n' +
        'All secrets use the first of ENCRYPTION_KEYS; the other keys can be removed\n',
      error: '',
    });
    expect((await rotate(newKey)).output).toContain('Re-encrypted the secrets of 0 webhook subscriptions');

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
  });

  it('creates no account on an empty database, and uses the only account by default', async () => {
    const name = `${service.environment.MONGODB_DATABASE ?? ''}_empty`;
    const environment = { ...service.environment, MONGODB_DATABASE: name };
    const there = (...args: string[]) => runAdminHere(environment, args);
    const listed = await there('account', 'list');
    const tooEarly = await there('key', 'create');
    await there('account', 'create', 'only@example.com');
    const made = await there('key', 'create');
    const keys = await there('key', 'list');
    const connection = createConnection(service.environment.MONGODB_URI ?? '', { dbName: name });
    await connection.asPromise();
    await connection.dropDatabase();
    await connection.close();
    expect(listed).toEqual({ code: 0, output: '', error: '' });
    expect(tooEarly.error).toMatch(/^There is no account yet.*\n$/);
    expect(made.output).toMatch(/^mgw_[0-9A-Za-z]{32}\n$/);
    expect(keys.output).toContain(made.output.slice(0, 8));
  });

  // Tests with their own MongoDB do not set up that of npm start.
  const whereThereIsOne = readState(homeFrom(process.env).stateFile).mongodb ? it : it.skip;
  whereThereIsOne(
    'uses the database of npm start if none is configured, and reports that on stderr',
    async () => {
      const { MONGODB_DATABASE, REDIS_URL } = service.environment;
      const { LOCAL_STACK_HOME } = process.env;
      const environment = { MONGODB_URI: '', REDIS_URL, MONGODB_DATABASE, LOCAL_STACK_HOME };
      const ended = await runProgram(TSX, [LAUNCHER, 'account', 'list'], { environment });
      expect(ended.error).toMatch(/^MongoDB /);
      expect(ended.code).toBe(0);
    },
  );

  it('runs when built, and exits with the code of the command', async () => {
    const built = (...args: string[]) =>
      runProgram(process.execPath, [ADMIN, ...args], { environment: service.environment });
    const listed = await built('account', 'list');
    expect(listed).toMatchObject({ code: 0, error: '' });
    expect(listed.output).toContain('ada@example.com');
    expect(await built('plan', 'show', 'gold')).toMatchObject({ code: 1, output: '' });
    expect(await built('nonsense')).toMatchObject({ code: 2, output: '' });
  });

  it('runs from a checkout with npm run admin', async () => {
    const ended = await runProgram(TSX, [LAUNCHER, 'account', 'list'], { environment: service.environment });
    expect(ended).toMatchObject({ code: 0, error: '' });
    expect(ended.output).toContain('ada@example.com');
  });
});

/** Runs without settings and without a database. */
describe('the help of the admin commands', () => {
  const admin = (...args: string[]) => runAdminHere({}, args);

  it('lists every command with its arguments, and the ways to run them', async () => {
    const { code, output, error } = await admin('--help');
    expect([code, error]).toEqual([0, '']);
    expect(output).toMatch(/^ {2}account create \[options\] <email> {2,}Create a verified account/m);
    expect(output).toMatch(/^ {2}key revoke <id-or-prefix> \[email\] /m);
    expect(output).toContain('docker compose exec api node dist/admin.js <command>');
    const ofOne = await admin('plan', 'set', '--help');
    expect(ofOne).toMatchObject({ code: 0, error: '' });
    expect(ofOne.output).toMatch(/--daily <limit> +messages per day/);
  });

  it.each([
    [[], 'Usage: admin'],
    [['account'], 'Usage: admin account'],
    [['account', 'remove', 'me@example.com'], 'There is no command account remove'],
    [['nonsense'], 'There is no command nonsense'],
    [['account', 'create'], "missing required argument 'email'"],
    [['account', 'create', 'me'], 'me is not an e-mail address'],
    [['account', 'plan', 'me@example.com'], "missing required argument 'plan'"],
    [['account', 'list', 'everything'], 'too many arguments'],
    [['account', 'list', '--force'], "unknown option '--force'"],
    [['key', 'create', 'me@example.com', '--name'], "'--name <name>' argument missing"],
    [['key', 'revoke'], "missing required argument 'id-or-prefix'"],
    [['key', 'revoke', 'mgw_abcd', 'me'], 'me is not an e-mail address'],
    [['device', 'disable', 'Kitchen'], 'Kitchen is not a device id'],
    [['plan', 'set', 'team', '--daily', 'many'], '--daily must be a whole number, or unlimited'],
    [['plan', 'set', 'My plan'], 'My plan is not a valid plan name'],
  ])('%j is invalid: prints the reason and exits with code 2', async (args, reason) => {
    const { code, output, error } = await admin(...args);
    expect([code, output]).toEqual([2, '']);
    expect(error.split('\n', 1)[0]).toContain(reason);
  });
});

/** Pixels per module of the code; scanners need more than one. */
const SCALE = 4;
/** Whether the upper and the lower half of a character are white. */
const HALVES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
  ' ': [false, false],
};

/** Renders lines of half blocks, white on black, as RGBA. */
function pictureOf(lines: readonly string[]): { data: Uint8ClampedArray; width: number; height: number } {
  const rows = lines.flatMap((line) => {
    const [, blocks] = /^\u001b\[97;40m(.+)\u001b\[0m$/.exec(line) ?? [];
    const halves = Array.from(blocks ?? '', (block) => HALVES[block]);
    return [0, 1].map((half) => halves.map((halvesOf) => halvesOf?.[half]));
  });
  const [width, height] = [(rows[0]?.length ?? 0) * SCALE, rows.length * SCALE];
  const data = new Uint8ClampedArray(width * height * 4).map((_, index) => {
    const pixel = Math.floor(index / 4);
    const row = rows[Math.floor(pixel / width / SCALE)];
    return index % 4 === 3 || row?.[Math.floor((pixel % width) / SCALE)] ? 255 : 0;
  });
  return { data, width, height };
}
