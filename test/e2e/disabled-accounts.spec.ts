import { join } from 'node:path';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { OneTimeCodesService } from '../../src/auth/one-time-codes/one-time-codes.service';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { runProgram } from '../support/program';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const ADMIN = join(__dirname, '..', '..', 'dist', 'admin.js');

describe('an account that the operator disables', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;
  let email: string;

  beforeEach(async () => {
    service = await TestService.start({ environment: { ALLOW_REGISTRATION: 'true' } });
    client = await service.newAccount();
    device = await client.newDevice();
    email = `${client.user.toHexString()}@example.com`;
  });
  afterEach(() => service.stop());

  const admin = async (...args: string[]) => {
    const ended = await runProgram(process.execPath, [ADMIN, ...args], { environment: service.environment });
    expect(ended).toMatchObject({ code: 0, error: '' });
    return ended.output;
  };
  const statusOf = async (of: TestClient) => (await of.get('/gateway/stats')).status;
  const until = (of: TestClient, expected: number) =>
    eventually(
      () => statusOf(of),
      (status) => status === expected,
    );

  it('is refused with its keys, loses its streams, and is let in again', async () => {
    const other = await service.newAccount();
    const stream = await RawStream.open(client, device);
    expect(await admin('account', 'disable', email)).toContain('is disabled');
    expect(await admin('account', 'list')).toMatch(new RegExp(`${email}\t.*\tdisabled\n`));
    await until(client, 401);
    await eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );
    expect((await RawStream.open(client, device)).answer.statusCode).toBe(401);
    expect(await statusOf(other)).toBe(200);

    await admin('account', 'enable', email);
    await until(client, 200);
    expect(await admin('account', 'list')).not.toContain('\tdisabled\n');
  });

  it('is refused with its sessions', async () => {
    const ada = await new SessionClient(service.url).register('ada@example.com', 'correct horse battery');
    expect((await ada.get('/auth/who-am-i')).status).toBe(200);
    await admin('account', 'disable', 'ada@example.com');
    await eventually(
      async () => (await ada.get('/auth/who-am-i')).status,
      (status) => status === 401,
    );
  });

  it('cannot confirm a new e-mail address with its sessions', async () => {
    const ada = await new SessionClient(service.url).register('ada@example.com', 'correct horse battery');
    const userId = ada.session.user._id;
    const account = accountScope(new Types.ObjectId(userId));
    const code = await service.get(OneTimeCodesService).issue(account, 'verify-email', 'new@example.com');
    await admin('account', 'disable', 'ada@example.com');
    await eventually(
      async () => (await ada.get('/auth/who-am-i')).status,
      (status) => status === 401,
    );
    const answer = await ada.post('/auth/verify-email', { userId, verificationCode: code.text });
    expect(answer).toMatchObject({ status: 400, body: { code: 'SESSION_REQUIRED' } });
  });

  it('keeps what it sent until it is enabled, and then sends it once', async () => {
    const inAMinute = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const batch = await client.send(['+4915112345678'], { scheduledAt: inAMinute });
    await admin('account', 'disable', email);
    await until(client, 401);
    const stored = () => service.collection('messages').findOne({ user: client.user });
    const sweep = async () => {
      service.clock.advance(70_000);
      await service.get(DispatchScheduler).dispatchOverdue();
    };
    await sweep();
    const postponed = await eventually(stored, (message) => message?.nextDispatchAt > service.clock.now());
    expect(postponed).toMatchObject({ status: 'pending' });
    expect(postponed).not.toHaveProperty('pushStartedAt');
    expect(postponed).not.toHaveProperty('dispatchAttempts');

    await admin('account', 'enable', email);
    await until(client, 200);
    await RawStream.open(client, device);
    await sweep();
    await eventually(
      async () => (await client.batch(device, batch)).messages.map(({ status }) => status),
      ([status]) => status === 'dispatched',
    );
    expect(await stored()).toMatchObject({ dispatchAttempts: 1 });
  });
});
