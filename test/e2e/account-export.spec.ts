import { get } from 'node:http';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import type { TestClient } from '../support/client';
import { download } from '../support/download';
import { eventually } from '../support/eventually';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';

const PATH = '/api/v1/auth/account/export';
const SECRET = 'a secret of 20 characters and more';

interface Line {
  readonly type: string;
  readonly data: Record<string, unknown>;
}

describe('GET auth/account/export', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api' },
      lookup: new ScriptedLookup(),
    });
  });
  beforeEach(async () => {
    client = await service.newAccount('Ada');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  async function sessionOf(account: TestClient): Promise<Record<string, string>> {
    const { accessToken = '' } = await service.signIn(account);
    return { authorization: `Bearer ${accessToken}` };
  }

  const exported = async (account = client) => download(service.url + PATH, await sessionOf(account));

  const linesOf = (text: string): Line[] =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);

  it('has everything that the account owns, as the API answers it, without secrets', async () => {
    const device = await client.newDevice({ name: 'Kitchen', simInfo: { sims: [{ subscriptionId: 1 }] } });
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+447700900123', message: 'STOP' });
    const batch = await client.send(Array.from({ length: 250 }, (_, n) => `+49151${10_000_000 + n}`));
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: 'Bank', message: 'Hi\n"there"' });
    const sims = (await client.get('/gateway/sims')).body as { data: { _id: string }[] };
    await client.post('/gateway/pools', { name: 'Both', sims: sims.data.map(({ _id }) => _id) }).expect(201);
    const webhook = { deliveryUrl: 'https://example.com/hook', signingSecret: SECRET };
    await client.post('/webhooks', { ...webhook, events: ['MESSAGE_SENT'] }).expect(201);

    const answer = await exported();
    expect(answer).toMatchObject({ status: 200, isComplete: true });
    expect(answer.headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
    const day = service.clock.now().toISOString().slice(0, 10);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="account-${day}.jsonl"`);
    const lines = linesOf(answer.text);
    const ofType = (type: string) => lines.filter((line) => line.type === type).map(({ data }) => data);
    const counts = Object.fromEntries(
      [...new Set(lines.map(({ type }) => type))].map((type) => [type, ofType(type).length]),
    );
    expect(counts).toEqual({
      account: 1,
      subscription: 1,
      session: 1,
      apiKey: 1,
      notices: 1,
      webhook: 1,
      consentSettings: 1,
      suppression: 1,
      consent: 1,
      device: 1,
      sim: 1,
      pool: 1,
      loopTest: 1,
      batch: 1,
      message: 252,
      end: 1,
    });
    expect(lines.at(-1)).toEqual({ type: 'end', data: { records: lines.length - 1 } });
    expect(ofType('account')).toMatchObject([{ _id: client.user.toHexString(), name: 'Ada' }]);
    expect(ofType('device')).toMatchObject([{ _id: device, name: 'Kitchen' }]);
    expect(ofType('batch')).toMatchObject([{ _id: batch, recipientCount: 250 }]);
    expect(ofType('message').at(-1)).toMatchObject({ sender: 'Bank', message: 'Hi\n"there"' });
    expect(ofType('consentSettings')).toMatchObject([{ enabled: true }]);
    expect(ofType('suppression')).toMatchObject([{ number: '+447700900123', state: 'out', words: 'STOP' }]);
    expect(ofType('consent')).toMatchObject([{ number: '+447700900123', state: 'out', deviceId: device }]);
    expect(ofType('webhook')).toMatchObject([{ deliveryUrl: 'https://example.com/hook' }]);
    for (const secret of [SECRET, client.apiKey, 'signingSecret', 'mgs_', 'Hash', '"hash"'])
      expect([secret, answer.text.includes(secret)]).toEqual([secret, false]);
  });

  it('has the messages of deleted phones, unless they were deleted with the phone', async () => {
    for (const [message, query] of [
      ['kept', ''],
      ['deleted', '?deleteMessages=true'],
    ] as const) {
      const device = await client.newDevice();
      await client.post(`/gateway/devices/${device}/receive-sms`, { sender: 'Bank', message });
      await client.delete(`/gateway/devices/${device}${query}`).expect(200);
    }
    const messages = linesOf((await exported()).text).filter(({ type }) => type === 'message');
    expect(messages).toMatchObject([{ data: { message: 'kept' } }]);
  });

  it('belongs to one account, and needs a session', async () => {
    const stranger = await service.newAccount('Eve');
    const device = await client.newDevice();
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: 'Bank', message: 'secret' });
    const { text } = await exported(stranger);
    expect(linesOf(text).map(({ type }) => type)).toEqual([
      'account',
      'subscription',
      'session',
      'apiKey',
      'notices',
      'consentSettings',
      'loopTest',
      'end',
    ]);
    for (const theirs of [client.user.toHexString(), device, 'secret']) expect(text).not.toContain(theirs);
    const withKey = await client.get('/auth/account/export');
    expect([withKey.status, (withKey.body as { code: string }).code]).toEqual([400, 'SESSION_REQUIRED']);
    expect((await download(service.url + PATH, {})).status).toBe(401);
  });

  it('is incomplete, without an end, when it fails midway or its session ends', async () => {
    const device = await client.newDevice();
    await client.send(
      Array.from({ length: 250 }, (_, n) => `+49151${10_000_000 + n}`),
      { deviceId: device },
    );
    const repository = service.get(MessageListRepository);
    const list = repository.list.bind(repository);
    const expectBroken = async () => {
      const answer = await exported();
      expect(answer.isComplete).toBe(false);
      expect(answer.text).not.toContain('"type":"end"');
    };
    const reads = jest.spyOn(repository, 'list');
    reads.mockImplementation((account, filter, place, count) =>
      'after' in place.start
        ? Promise.reject(new Error('the database is gone'))
        : list(account, filter, place, count),
    );
    await expectBroken();
    reads.mockImplementation(async (...args) => {
      const page = await list(...args);
      await service.collection('sessions').deleteMany({ user: client.user });
      return page;
    });
    await expectBroken();
  });

  it('runs once at a time, and delays no other account', async () => {
    const repository = service.get(MessageListRepository);
    const list = jest.spyOn(repository, 'list').mockReturnValue(new Promise(() => undefined));
    const call = get(service.url + PATH, { headers: await sessionOf(client) });
    call.once('error', () => undefined);
    await eventually(
      () => list.mock.calls.length,
      (count) => count > 0,
    );
    const second = await exported();
    expect(second.status).toBe(429);
    expect((JSON.parse(second.text) as { code: string }).code).toBe('CONCURRENCY_LIMITED');
    jest.restoreAllMocks();
    expect(await exported(await service.newAccount())).toMatchObject({ status: 200, isComplete: true });
    call.destroy();
    await eventually(
      async () => (await exported()).status,
      (status) => status === 200,
    );
  });
});
