import type { LoggerService } from '@nestjs/common';
import type Redis from 'ioredis';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { SignInLinksService } from '../../src/auth/sessions/sign-in-links.service';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { ROLES } from '../../src/config/sections/roles.config';
import { logIds } from '../../src/infrastructure/logging/log-ids';
import { REDIS } from '../../src/infrastructure/redis/redis-client';
import { OverviewService } from '../../src/ops/operations/overview.service';
import { ProcessRegistry } from '../../src/ops/operations/process-registry.service';
import { runAdminHere } from '../support/admin';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { SessionClient } from '../support/session-client';

const PASSWORD = 'correct horse battery';
const ROUTES = [
  ['get', '/operations/overview'],
  ['get', '/operations/accounts'],
  ['get', '/operations/actions'],
  ['post', '/operations/accounts/{id}/plan'],
  ['post', '/operations/accounts/{id}/disable'],
  ['post', '/operations/accounts/{id}/enable'],
] as const;

interface AccountJson {
  readonly _id: string;
  readonly email: string;
  readonly devices: number;
  readonly plan: { readonly name: string };
  readonly disabledAt?: string;
}

interface PageJson {
  readonly data: readonly AccountJson[];
  readonly meta: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

describe('operations', () => {
  let service: TestService;
  let owner: TestClient;
  let operator: SessionClient;
  let tenant: TestClient;
  let passwordHash: string;

  beforeAll(async () => {
    service = await TestService.start();
    passwordHash = await service.get(PasswordHasher).hash(PASSWORD);
  });
  beforeEach(async () => {
    owner = await service.newAccount('Operator');
    await setPassword(owner);
    expect((await admin('--email', emailOf(owner))).output).toContain('is an operator’s now');
    operator = await service.signIn(owner);
    tenant = await service.newAccount('Tenant');
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const admin = (...args: string[]) => runAdminHere(service.environment, ['account', 'operator', ...args]);
  const emailOf = ({ user }: TestClient) => `${user.toHexString()}@example.com`;
  const setPassword = ({ user }: TestClient) =>
    service.get(AccountsRepository).setPassword(accountScope(user), passwordHash, null, new Date());
  const outcome = ({ status, body }: { status: number; body: unknown }) =>
    [status, (body as { code?: string }).code].join(' ').trim();
  const act = (action: string, body: object, on = tenant, by = operator) =>
    by.post(`/operations/accounts/${on.user.toHexString()}/${action}`, body);
  const stored = async ({ user }: TestClient) => service.collection('accounts').findOne({ _id: user });
  const list = async (query: string) =>
    (await operator.get(`/operations/accounts?${query}`)).body as PageJson;

  it('exist for the sessions of operators only', async () => {
    const person = await service.signIn(tenant);
    for (const [method, route] of ROUTES) {
      const path = route.replace('{id}', tenant.user.toHexString());
      const body = { password: PASSWORD, plan: 'pro' };
      const call = (by: SessionClient | TestClient) =>
        method === 'get' ? by.get(path) : by.post(path, body);
      const unknown = (await person.get('/operations/none')).body as object;
      for (const by of [person, tenant, owner]) {
        const answer = await call(by);
        expect([path, outcome(answer)]).toEqual([path, '404 NOT_FOUND']);
        expect(Object.keys(answer.body as object)).toEqual(Object.keys(unknown));
      }
      expect(outcome(await call(new SessionClient(service.url)))).toBe('401 AUTH_INVALID');
    }
    expect(await stored(tenant)).not.toHaveProperty('disabledAt');
    expect(await service.collection('operatoractions').countDocuments()).toBe(0);
  });

  it('are given and taken back on the command line only', async () => {
    const whoAmI = async () => ((await operator.get('/auth/who-am-i')).body as { data: object }).data;
    expect(await whoAmI()).toMatchObject({ operator: true });
    expect((await operator.get('/operations/overview')).status).toBe(200);
    const ignored = await service.signIn(tenant);
    await ignored.patch('/auth/update-profile', { name: 'Eve', operator: true });
    expect(outcome(await ignored.get('/operations/overview'))).toBe('404 NOT_FOUND');
    expect((await admin('--email', emailOf(owner), '--revoke')).output).toContain('no longer');
    expect(await whoAmI()).not.toHaveProperty('operator');
    expect(outcome(await operator.get('/operations/overview'))).toBe('404 NOT_FOUND');
    expect(await admin('--email', 'nobody@example.com')).toMatchObject({ code: 1 });
    expect(await admin()).toMatchObject({ code: 1 }); // There are several accounts.
  });

  it('show the state of the installation', async () => {
    const read = async () => {
      const answer = await operator.get('/operations/overview');
      return (answer.body as { data: Record<string, unknown> }).data;
    };
    // What the database or Redis does not answer in time is absent.
    const data = await eventually(
      read,
      ({ queues, stats, pendingMigrations, components }) =>
        Boolean(queues && stats && pendingMigrations) && !JSON.stringify(components).includes('false'),
    );
    expect(data).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      process: { roles: ['api', 'worker', 'scheduler'], nodeVersion: process.version },
      components: { database: { isUp: true, message: 'ok' }, redis: { isUp: true, message: 'ok' } },
      fcmConfigured: false,
      pendingMigrations: [],
      stats: { pendingMessages: expect.any(Number) as number },
    });
    expect((data.queues as { name: string }[]).map(({ name }) => name)).toHaveLength(3);
  });

  it('show what is known while Redis does not answer', async () => {
    const overview = service.get(OverviewService);
    const known = await overview.read();
    const unknown = { processes: undefined, queues: undefined, stats: undefined };
    jest.spyOn(overview, 'read').mockResolvedValue({ ...known, ...unknown });
    const { data } = (await operator.get('/operations/overview')).body as { data: object };
    expect(data).not.toHaveProperty('processes');
    expect(data).not.toHaveProperty('queues');
    expect(data).not.toHaveProperty('stats');
    expect(data).toHaveProperty('components');
  });

  it('list the processes, without those that have stopped or died', async () => {
    const registry = service.get(ProcessRegistry);
    const rolesNow = async () => (await registry.list())?.map(({ roles }) => roles.join()).sort();
    const all = ROLES.join();
    const environment = { APP_ROLES: 'worker' };
    const [stopping, dying] = [
      await TestService.start({ environment, shared: service }),
      await TestService.start({ environment, shared: service }),
    ];
    try {
      await eventually(rolesNow, (roles) => roles?.length === 3);
      expect(await rolesNow()).toEqual([all, 'worker', 'worker']);
      void stopping.get(ProcessRegistry).announce();
      await stopping.stop();
      expect(await rolesNow()).toEqual([all, 'worker']);

      dying.stopTimers();
      const redis = service.app.get<Redis>(REDIS, { strict: false });
      const key = `${service.get(RedisConfig).prefix}:processes`;
      await redis.zincrby(key, -31_000, JSON.stringify(dying.get(ProcessRegistry).self));
      expect(await rolesNow()).toEqual([all]);
      await registry.announce();
      expect(await redis.zcard(key)).toBe(1);
    } finally {
      await dying.stop();
    }
    const shown = await eventually(
      async () =>
        ((await operator.get('/operations/overview')).body as { data: { processes: object[] } }).data,
      ({ processes }) => processes.length === 1,
    );
    expect(shown.processes).toEqual([registry.self]);
    expect(new Date(registry.self.startedAt).getTime()).toBeLessThan(Date.now());
  });

  it('list accounts by address, in pages, with phones and usage', async () => {
    await tenant.newDevice();
    await tenant.newDevice();
    await tenant.send(['+4915112345678']);
    const prefix = `list-${new Types.ObjectId().toHexString()}`;
    const made: TestClient[] = [];
    for (let count = 0; count < 5; count++) {
      const account = await service.newAccount();
      const email = `${prefix}.${count}@example.com`;
      await service.collection('accounts').updateOne({ _id: account.user }, { $set: { email } });
      made.push(account);
    }
    const emails: string[] = [];
    let cursor = '';
    do {
      const page = await list(`email=${prefix.toUpperCase()}&limit=2&cursor=${cursor}`);
      expect(page.data.length).toBeLessThanOrEqual(2);
      emails.push(...page.data.map(({ email }) => email));
      cursor = page.meta.nextCursor ?? '';
      expect(page.meta.hasMore).toBe(cursor !== '');
    } while (cursor);
    expect(emails).toEqual(made.map((_, count) => `${prefix}.${count}@example.com`));

    const [own] = (await list(`email=${emailOf(tenant)}`)).data;
    expect(own).toMatchObject({
      _id: tenant.user.toHexString(),
      devices: 2,
      usage: { processedSmsToday: 1 },
      plan: { name: expect.any(String) as string },
    });
    expect(JSON.stringify(own)).not.toMatch(/hash|known|generation/i);
    expect((await list(`email=${emailOf(tenant)}&disabled=true`)).data).toEqual([]);
    const defaultPlan = own?.plan.name ?? '';
    expect((await list(`email=${emailOf(tenant)}&plan=${defaultPlan}&disabled=false`)).data).toHaveLength(1);
    expect((await list(`email=${emailOf(tenant)}&plan=none`)).data).toEqual([]);
    for (const query of ['cursor=%2B', 'limit=x', 'disabled=maybe', 'email[$ne]=x', 'plan=a&plan=b']) {
      const answer = await operator.get(`/operations/accounts?${query}`);
      expect([query, outcome(answer)]).not.toEqual([query, '200']);
    }
  });

  it('move an account to another plan', async () => {
    const answer = await act('plan', { plan: 'pro', password: PASSWORD });
    expect([answer.status, (answer.body as { data: AccountJson }).data.plan.name]).toEqual([200, 'pro']);
    expect((await tenant.get('/billing/current-subscription')).body).toMatchObject({ plan: { name: 'pro' } });
    const unknown = await act('plan', { plan: 'none', password: PASSWORD });
    expect(unknown.body).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'plan' }] });
    expect((await list(`email=${emailOf(tenant)}&plan=pro`)).data).toHaveLength(1);
  });

  it('disable and enable an account, and record who did', async () => {
    const disabled = await act('disable', { password: PASSWORD });
    expect((disabled.body as { data: AccountJson }).data.disabledAt).toBeDefined();
    service.clock.advance(1_500);
    const again = await act('disable', { password: PASSWORD });
    expect(again.body).toEqual(disabled.body);
    const enabled = await act('enable', { password: PASSWORD });
    expect((enabled.body as { data: AccountJson }).data).not.toHaveProperty('disabledAt');
    const body: unknown = (await operator.get('/operations/actions')).body;
    const [by, account] = [owner, tenant].map(({ user }) => user.toHexString());
    const mine = (body as { data: { operator: string; action: string }[] }).data.filter(
      (each) => each.operator === by,
    );
    expect(mine.map(({ action }) => action).sort()).toEqual(['disable', 'disable', 'enable']);
    expect(mine).toEqual(
      expect.arrayContaining([expect.objectContaining({ account, action: 'enable' }) as object]),
    );
  });

  it('cannot disable the own account, an unknown one, or one that is being erased', async () => {
    expect(outcome(await act('disable', { password: PASSWORD }, owner))).toBe('400 OWN_ACCOUNT');
    expect(await stored(owner)).not.toHaveProperty('disabledAt');
    const none = Object.assign(Object.create(tenant) as TestClient, { user: new Types.ObjectId() });
    expect(outcome(await act('disable', { password: PASSWORD }, none))).toBe('404 ACCOUNT_NOT_FOUND');
    await service
      .collection('accounts')
      .updateOne({ _id: tenant.user }, { $set: { erasingSince: new Date(), disabledAt: new Date() } });
    expect(outcome(await act('enable', { password: PASSWORD }))).toBe('404 ACCOUNT_NOT_FOUND');
    await service.get(AccountsRepository).enable(accountScope(tenant.user), new Date());
    expect(await stored(tenant)).toHaveProperty('disabledAt');
  });

  it('ask for the password each time, and count wrong ones with those of sign-ins', async () => {
    for (const body of [{}, { password: '' }, { password: { $ne: '' } }, { password: 'x'.repeat(129) }])
      expect(outcome(await act('disable', body))).toBe('400 VALIDATION_FAILED');
    expect(outcome(await act('disable', { password: 'wrong' }))).toBe('400 WRONG_PASSWORD');
    const visitor = new SessionClient(service.url);
    for (let guess = 1; guess < 10; guess++)
      await visitor.post('/auth/login', { email: emailOf(owner), password: 'wrong' });
    expect(outcome(await act('disable', { password: PASSWORD }))).toBe('429 TOO_MANY_ATTEMPTS');
    expect(await stored(tenant)).not.toHaveProperty('disabledAt');
  });

  it('are refused to a page of another origin, and to an operator without a password', async () => {
    const { accessToken = '' } = operator;
    const answer = await new SessionClient(service.url)
      .post(`/operations/accounts/${tenant.user.toHexString()}/disable`, { password: PASSWORD })
      .set({ cookie: `mgw_session=${accessToken}`, origin: 'https://evil.example' });
    expect(outcome(answer)).toBe('400 CSRF_CHECK_FAILED');
    const other = await service.newAccount();
    await service.get(AccountsRepository).setOperator(accountScope(other.user), true, new Date());
    const token = await service.get(SignInLinksService).issue(accountScope(other.user));
    const opened = await new SessionClient(service.url).post('/auth/session', { token });
    const session = (opened.body as { data: { accessToken: string } }).data.accessToken;
    const linked = new SessionClient(service.url, session);
    expect(outcome(await act('disable', { password: 'any' }, tenant, linked))).toBe('400 WRONG_PASSWORD');
    expect(await stored(tenant)).not.toHaveProperty('disabledAt');
  });

  it('end with the account', async () => {
    await operator.delete('/auth/account').send({ password: PASSWORD }).expect(200);
    expect(await stored(owner)).not.toHaveProperty('operator');
  });
});

describe('the log of operations', () => {
  it('has who did what to whom', async () => {
    const lines: object[] = [];
    const write = (text: unknown) => void lines.push({ text: String(text), ...logIds() });
    const logger: LoggerService = { log: write, error: write, warn: write };
    const service = await TestService.start({ environment: { APP_ROLES: 'api' }, logger });
    try {
      const [owner, tenant] = [await service.newAccount(), await service.newAccount()];
      const scope = accountScope(owner.user);
      const passwordHash = await service.get(PasswordHasher).hash(PASSWORD);
      await service.get(AccountsRepository).setPassword(scope, passwordHash, null, new Date());
      await service.get(AccountsRepository).setOperator(scope, true, new Date());
      const operator = await service.signIn(owner);
      const path = `/operations/accounts/${tenant.user.toHexString()}/plan`;
      await operator.post(path, { plan: 'pro', password: PASSWORD }).expect(200);
      expect(lines).toContainEqual({
        text: 'Operator action on an account: plan pro',
        operatorId: owner.user.toHexString(),
        accountId: tenant.user.toHexString(),
        requestId: expect.any(String) as string,
      });
      expect(JSON.stringify(lines)).not.toContain(PASSWORD);
    } finally {
      await service.stop();
    }
  });
});
