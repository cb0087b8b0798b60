import { createHash } from 'node:crypto';
import { accountScope } from '../../src/auth/account-scope';
import { AuthService } from '../../src/auth/authentication/auth.service';
import { SessionsRepository } from '../../src/auth/sessions/sessions.repository';
import { SessionsService } from '../../src/auth/sessions/sessions.service';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';
const DAY_MS = 24 * 3_600_000;
const UNAUTHORIZED = { error: 'Unauthorized', code: 'AUTH_INVALID' };

describe('sessions', () => {
  let service: TestService;
  let visitor: SessionClient;
  let people = 0;

  beforeAll(async () => {
    service = await TestService.start({ environment: { ALLOW_REGISTRATION: 'true' } });
    visitor = new SessionClient(service.url);
  });
  afterAll(() => service.stop());

  const newEmail = () => `person${++people}@example.com`;
  const statusOf = async (person: SessionClient) => (await person.get('/gateway/stats')).status;

  it('store only the hash of a token of 256 bits', async () => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const token = ada.accessToken ?? '';
    expect(Buffer.from(token.replace(/^mgs_/, ''), 'base64url')).toHaveLength(32);
    const stored = await service.collection('sessions').find().toArray();
    expect(JSON.stringify(stored)).not.toContain(token);
    const hash = createHash('sha256').update(token).digest('hex');
    expect(stored.map((session) => session.hash as unknown)).toContain(hash);
  });

  it('refuse invalid tokens', async () => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const { _id } = ada.session.user;
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    // A token of the versions before sessions.
    const former = `${encode({ alg: 'HS256' })}.${encode({ sub: _id, gen: 0, exp: 9e9 })}.${'A'.repeat(43)}`;
    for (const token of ['x', former, `${ada.accessToken ?? ''}x`, ada.accessToken?.slice(0, -1) ?? '']) {
      const answer = await new SessionClient(service.url, token).get('/gateway/stats');
      expect([answer.status, answer.body]).toEqual([401, UNAUTHORIZED]);
    }
    expect(await statusOf(ada)).toBe(200);
  });

  it('expire after 30 days', async () => {
    const email = newEmail();
    const ada = await visitor.register(email, PASSWORD);
    // An account that was never verified is removed after a day.
    await service.collection('accounts').updateOne({ email }, { $set: { firstVerifiedAt: new Date() } });
    service.clock.advance(29 * DAY_MS);
    expect(await statusOf(ada)).toBe(200);
    service.clock.advance(2 * DAY_MS);
    expect(await statusOf(ada)).toBe(401);
  });

  it('record their last use once a minute, with address and truncated user agent', async () => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const sessions = service.collection('sessions');
    const hash = createHash('sha256')
      .update(ada.accessToken ?? '')
      .digest('hex');
    const read = async (): Promise<Record<string, unknown>> => (await sessions.findOne({ hash })) ?? {};
    const { createdAt } = await read();
    await ada.get('/gateway/stats').set('user-agent', 'Second');
    expect(await read()).toMatchObject({ lastUsedAt: createdAt });
    service.clock.advance(61_000);
    await ada.get('/gateway/stats').set('user-agent', 'x'.repeat(2_000));
    const used = await eventually(read, ({ lastUsedAt }) => (lastUsedAt as Date) > (createdAt as Date));
    expect(used.lastUsedFrom).toEqual({ address: '127.0.0.1', userAgent: 'x'.repeat(256) });
  });

  it('are limited to 100 per account: the oldest end, even when many are created concurrently', async () => {
    const email = newEmail();
    const first = await visitor.register(email, PASSWORD);
    const user = (await service.collection('accounts').findOne({ email }))?._id;
    const account = { user } as { user: TestClient['user'] };
    const open = () =>
      service
        .get(SessionsService)
        .create(accountScope(account.user), 'password', 0, { address: '192.0.2.1' });
    await Promise.all(Array.from({ length: 110 }, open));
    const last = await open();
    expect(await service.collection('sessions').countDocuments(account)).toBe(100);
    expect(await statusOf(first)).toBe(401);
    expect(await statusOf(new SessionClient(service.url, last.token))).toBe(200);
  });

  it('are invalid when a concurrent request changes the password during sign-in', async () => {
    const email = newEmail();
    const ada = await visitor.register(email, PASSWORD);
    const change = { oldPassword: PASSWORD, newPassword: 'another password' };
    const logIns = Array.from({ length: 4 }, () =>
      visitor.post('/auth/login', { email, password: PASSWORD }),
    );
    const [changed, ...answers] = await Promise.all([ada.post('/auth/change-password', change), ...logIns]);
    expect(changed.status).toBe(200);
    for (const { status, body } of answers) {
      if (status === 401) continue;
      const { accessToken } = (body as { data: { accessToken: string } }).data;
      expect(await statusOf(new SessionClient(service.url, accessToken))).toBe(401);
    }
  });

  it('are required by some calls, which refuse API keys with instructions', async () => {
    const client = await service.newAccount();
    const answer = await client.post('/auth/change-password', { oldPassword: 'x', newPassword: PASSWORD });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'SESSION_REQUIRED',
      message: expect.stringContaining('POST /api/v1/auth/session') as string,
    });
    const person = await service.signIn(client);
    const allowed = await person.post('/auth/change-password', { oldPassword: 'x', newPassword: PASSWORD });
    expect(allowed.body).toMatchObject({ code: 'WRONG_PASSWORD' });
    const nobody = await visitor.post('/auth/change-password', {});
    expect([nobody.status, nobody.body]).toEqual([401, UNAUTHORIZED]);
  });

  it('are listed and revoked only by their owner; a revoked one is refused in every process', async () => {
    const email = newEmail();
    const here = await visitor.register(email, PASSWORD);
    const there = await visitor.logIn(email, PASSWORD);
    const eve = await visitor.register(newEmail(), PASSWORD);
    const list = async (person: SessionClient) =>
      ((await person.get('/auth/sessions')).body as { data: { _id: string; current: boolean }[] }).data;
    const [newest, oldest, ...others] = await list(here);
    expect([newest?.current, oldest?.current, others]).toEqual([false, true, []]);
    expect(Object.keys(newest ?? {}).sort()).toEqual(
      ['_id', 'createdAt', 'current', 'expiresAt', 'lastUsedAt', 'lastUsedFrom', 'method'].sort(),
    );
    const revoke = (person: SessionClient) => person.delete(`/auth/sessions/${newest?._id ?? ''}`);
    expect((await revoke(eve)).status).toBe(404);
    expect(await statusOf(there)).toBe(200);

    const other = await TestService.start({ shared: service });
    const elsewhere = new SessionClient(other.url, there.accessToken);
    expect(await statusOf(elsewhere)).toBe(200);
    expect((await revoke(here)).status).toBe(200);
    expect([await statusOf(there), await statusOf(elsewhere)]).toEqual([401, 401]);
    expect((await revoke(here)).status).toBe(404);
    expect((await list(here)).map(({ current }) => current)).toEqual([true]);
    await other.stop();
  });

  it.each(['DELETE auth/session', 'POST auth/logout'])('end with %s', async (route) => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    expect((await ada.get('/auth/session')).body).toMatchObject({ data: { current: true } });
    const end = () => (route.startsWith('DELETE') ? ada.delete('/auth/session') : ada.post('/auth/logout'));
    expect((await end()).status).toBe(200);
    expect([await statusOf(ada), (await end()).status]).toEqual([401, 401]);
  });

  it('all end with DELETE auth/sessions, in every process, with sign-in links; API keys and other accounts do not', async () => {
    const email = newEmail();
    const here = await visitor.register(email, PASSWORD);
    const there = await visitor.logIn(email, PASSWORD);
    const eve = await visitor.register(newEmail(), PASSWORD);
    const user = (await service.collection('accounts').findOne({ email }))?._id;
    const account = { user } as { user: TestClient['user'] };
    const link = await service.get(SignInLinksService).issue(accountScope(account.user));
    const other = await TestService.start({ shared: service });
    const elsewhere = new SessionClient(other.url, there.accessToken);
    expect(await statusOf(elsewhere)).toBe(200);

    expect((await here.delete('/auth/sessions')).status).toBe(200);
    for (const person of [here, there, elsewhere]) expect(await statusOf(person)).toBe(401);
    expect((await visitor.post('/auth/session', { token: link })).body).toMatchObject({
      code: 'SIGN_IN_LINK_INVALID',
    });
    expect(await statusOf(eve)).toBe(200);
    const again = await visitor.logIn(email, PASSWORD);
    expect((await again.get('/auth/sessions')).body).toMatchObject({ data: [{ current: true }] });
    await other.stop();

    const client = await service.newAccount();
    expect((await client.delete('/auth/sessions')).body).toMatchObject({ code: 'SESSION_REQUIRED' });
    expect((await (await service.signIn(client)).delete('/auth/sessions')).status).toBe(200);
    expect((await client.get('/gateway/stats')).status).toBe(200);
  });

  it('created during DELETE auth/sessions are valid only if the password was checked after it', async () => {
    const email = newEmail();
    const ada = await visitor.register(email, PASSWORD);
    const repository = service.get(SessionsRepository);
    const create = repository.create.bind(repository);
    // All sessions end between the password check and the creation of the session.
    const slow = jest.spyOn(repository, 'create').mockImplementationOnce(async (session) => {
      expect((await ada.delete('/auth/sessions')).status).toBe(200);
      await create(session);
    });
    const late = await visitor.logIn(email, PASSWORD);
    slow.mockRestore();
    expect(await statusOf(late)).toBe(401);
    expect(await statusOf(await visitor.logIn(email, PASSWORD))).toBe(200);
  });

  it('are distinguished from API keys when checked for revocation', async () => {
    const ada = await visitor.register(newEmail(), PASSWORD);
    const eve = await visitor.register(newEmail(), PASSWORD);
    const auth = service.get(AuthService);
    const opened = await Promise.all(
      [ada, eve].map(({ accessToken = '' }) => auth.authenticateSession(accessToken, { address: 'x' })),
    );
    const accounts = opened.filter((account) => account !== null);
    expect([...(await auth.findRevoked(accounts))]).toEqual([]);
    const [own] = accounts;
    if (!own) throw new Error('There is a session');
    await service.get(SessionsService).revoke(own, own.credential.id);
    expect([...(await auth.findRevoked(accounts))]).toEqual([own]);
  });
});
