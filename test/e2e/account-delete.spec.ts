import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Types } from 'mongoose';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';
import { countStoredDocuments } from '../support/count-stored-documents';
import { untilErased } from '../support/until-erased';

const ADMIN = join(__dirname, '..', '..', 'dist', 'admin.js');

describe('admin account delete', () => {
  let service: TestService;
  let owner: TestClient;
  let email: string;

  beforeAll(async () => {
    service = await TestService.start({ lookup: new ScriptedLookup() });
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    email = `${owner.user.toHexString()}@example.com`;
    const device = await owner.newDevice();
    await owner.send(['+4915112345678', '+4915112345679']);
    const sms = { sender: '+49151', message: 'Hi', receivedAtInMillis: 5 };
    await owner.post(`/gateway/devices/${device}/receive-sms`, sms);
    const webhook = { deliveryUrl: 'https://example.com/hook', events: ['MESSAGE_DELIVERED'] };
    await owner.post('/webhooks', { ...webhook, signingSecret: 'a secret of twenty letters' });
    await eventually(
      () => stored(),
      ({ conversations }) => conversations === 3,
    );
  });
  afterAll(() => service.stop());

  const admin = (...args: string[]) =>
    runProgram(process.execPath, [ADMIN, ...args], { environment: service.environment });
  const stored = (of = owner) => countStoredDocuments(service, of);
  const isRefused = () =>
    eventually(
      async () => (await owner.get('/auth/who-am-i')).status,
      (status) => status === 401,
    );

  it('closes the account and removes all its data, but no data of other accounts', async () => {
    const other = await service.newAccount();
    await other.newDevice();
    const others = await stored(other);
    const ended = await admin('account', 'delete', email.toUpperCase());
    expect(ended).toMatchObject({ code: 0, error: '' });
    expect(ended.output).toMatch(/^Account \S+ is closed, and \d+ of its records are removed\n/);
    await isRefused();
    expect((await admin('account', 'list')).output).not.toContain(owner.user.toHexString());
    expect(await admin('account', 'delete', email)).toMatchObject({ code: 1, output: '' });
    await untilErased(service, owner);
    expect(await stored(other)).toEqual(others);
    expect((await other.get('/gateway/devices')).status).toBe(200);
    expect(await admin('account', 'create', email)).toMatchObject({ code: 0 });
  });

  it('is resumed by a process with the scheduler role when the command is killed', async () => {
    const messages = Array.from({ length: 30_000 }, () => ({ _id: new Types.ObjectId(), user: owner.user }));
    await service.collection('messages').insertMany(messages);
    const { PATH } = process.env;
    const environment = { env: { PATH, ...service.environment } };
    const command = spawn(process.execPath, [ADMIN, 'account', 'delete', email], environment);
    const ended = once(command, 'exit');
    await eventually(
      () => service.collection('messages').countDocuments({ user: owner.user }),
      (left) => left < 30_000,
    );
    command.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    expect((await stored()).messages).toBeGreaterThan(0);
    await isRefused();
    await untilErased(service, owner);
  });

  it('fails for an unknown address and removes nothing', async () => {
    const before = await stored();
    const ended = await admin('account', 'delete', 'nobody@example.com');
    expect([ended.code, ended.error]).toEqual([1, 'No account has the e-mail address nobody@example.com\n']);
    expect(await stored()).toEqual(before);
  });
});
