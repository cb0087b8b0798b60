import { accountScope } from '../../src/auth/account-scope';
import { generateApiKey, toStoredKey } from '../../src/auth/api-keys/api-key';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { PlansRepository } from '../../src/billing/plans/plans.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import type { SessionClient } from '../support/session-client';

interface KeyJson {
  _id: string;
  name: string;
  apiKey: string;
  status: string;
  kind: string;
  lastUsedAt?: string;
  lastUsedFrom?: string;
  revokedAt?: string;
}

describe('API keys', () => {
  let service: TestService;
  let owner: TestClient;
  /** A session of the account. */
  let person: SessionClient;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    person = await service.signIn(owner);
  });
  afterAll(() => service.stop());

  const list = async (client: TestClient, status = 'active'): Promise<KeyJson[]> => {
    const answer = await client.get(`/auth/api-keys?status=${status}`);
    expect(answer.status).toBe(200);
    return (answer.body as { data: KeyJson[] }).data;
  };

  /** @returns a new key and its id. */
  async function createKey(name: string): Promise<{ key: string; id: string; client: TestClient }> {
    const answer = await person.post('/auth/api-keys', { name });
    expect(answer.status).toBe(201);
    const key = (answer.body as { data: string }).data;
    const id = (await list(owner)).find((one) => one.name === name)?._id ?? '';
    return { key, id, client: new TestClient(service.url, key, owner.user) };
  }

  const status = async (client: TestClient) => (await client.get('/gateway/stats')).status;

  it('and plans are stored once by processes that start concurrently', async () => {
    const [keys, plans] = [service.get(ApiKeysRepository), service.get(PlansRepository)];
    for (let round = 0; round < 10; round += 1) {
      const key = toStoredKey(generateApiKey());
      const [known] = await plans.list();
      if (!known) throw new Error('there is no plan');
      const plan = Object.assign(known, { _id: `plan-${round}` });
      await Promise.all(
        Array.from({ length: 3 }, async () => {
          await keys.upsert(accountScope(owner.user), key, 'First key', new Date());
          await plans.seed([plan]);
        }),
      );
    }
    expect((await list(owner)).filter(({ name }) => name === 'First key')).toHaveLength(10);
  });

  it('are shown once, authenticate the account, and are listed masked', async () => {
    const answer = await person.post('/auth/api-keys', { name: 'Office' });
    expect(answer.status).toBe(201);
    expect(Object.keys(answer.body as object).sort()).toEqual(['data', 'message']);
    const key = (answer.body as { data: string }).data;
    expect(key).toMatch(/^mgw_[0-9A-Za-z]{32}$/);
    expect(await status(new TestClient(service.url, key, owner.user))).toBe(200);
    const keys = await list(owner);
    expect(keys).toHaveLength(2);
    const [made] = keys.filter(({ name }) => name === 'Office');
    expect(made).toMatchObject({ apiKey: `${key.slice(0, 8)}******`, status: 'active' });
    const stored = JSON.stringify(await service.collection('apikeys').find().toArray());
    expect(stored).not.toContain(key);
    const known = [
      '_id',
      'apiKey',
      'createdAt',
      'deviceId',
      'expiresAt',
      'kind',
      'lastUsedAt',
      'lastUsedFrom',
    ];
    known.push('name', 'revokedAt', 'status');
    for (const one of keys) for (const field of Object.keys(one)) expect(known).toContain(field);
  });

  it('are refused by every process when revoked, listed as revoked, and can be deleted only then', async () => {
    const { id, client } = await createKey('Lost phone');
    const other = await TestService.start({ shared: service });
    expect(await status(client.at(other.url))).toBe(200);

    const active = await person.delete(`/auth/api-keys/${id}`);
    expect([active.status, (active.body as { code: string }).code]).toEqual([400, 'API_KEY_ACTIVE']);
    const revoked = await person.post(`/auth/api-keys/${id}/revoke`);
    expect(revoked.status).toBe(200);
    expect(await status(client.at(other.url))).toBe(401);
    expect(await status(client)).toBe(401);

    const { revokedAt } = (revoked.body as { data: KeyJson }).data;
    service.clock.advance(60_000);
    const again = await person.post(`/auth/api-keys/${id}/revoke`);
    expect((again.body as { data: KeyJson }).data).toMatchObject({ status: 'revoked', revokedAt });
    expect((await list(owner)).map((key) => key._id)).not.toContain(id);
    expect((await list(owner, 'revoked')).map((key) => key._id)).toEqual([id]);
    expect(await list(owner, 'all')).toHaveLength(2);
    const stats = await owner.get('/gateway/stats');
    expect((stats.body as { data: object }).data).toMatchObject({ totalApiKeyCount: 1 });

    expect((await person.delete(`/auth/api-keys/${id}`)).status).toBe(200);
    expect((await person.delete(`/auth/api-keys/${id}`)).status).toBe(404);
    expect(await status(client)).toBe(401);
    await other.stop();
  });

  it('can be renamed', async () => {
    const { id, client } = await createKey('Old name');
    const answer = await person.patch(`/auth/api-keys/${id}/rename`, { name: 'New name' });
    expect((answer.body as { data: KeyJson }).data).toMatchObject({ _id: id, name: 'New name' });
    expect(await status(client)).toBe(200);
  });

  it('are limited to 100, including those without a slot, even with concurrent creation', async () => {
    const keys = Array.from({ length: 94 }, (_, index) => ({
      user: owner.user,
      hash: `${owner.user.toHexString()}${index}`,
      name: 'Key',
      createdAt: new Date(),
    }));
    await service.collection('apikeys').insertMany(keys);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => person.post('/auth/api-keys', { kind: 'phone' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const { body } of refused) expect(body).toMatchObject({ code: 'TOO_MANY_API_KEYS' });
    expect(refused).toHaveLength(15);
    expect(await list(owner)).toHaveLength(100);
    // Slots are freed by keys that are revoked or have expired.
    const phoneKeys = (await list(owner)).filter(({ kind }) => kind === 'phone');
    for (const { _id } of phoneKeys.slice(0, 2))
      expect((await person.post(`/auth/api-keys/${_id}/revoke`)).status).toBe(200);
    for (const status of [201, 201, 400]) {
      expect((await person.post('/auth/api-keys')).status).toBe(status);
    }
    service.clock.advance(25 * 3_600_000);
    expect((await person.post('/auth/api-keys')).status).toBe(201);
  });

  it('without a slot count towards the limit', async () => {
    const keys = Array.from({ length: 99 }, (_, index) => ({
      user: owner.user,
      hash: `${owner.user.toHexString()}${index}`,
      name: 'Key',
      createdAt: new Date(),
    }));
    await service.collection('apikeys').insertMany(keys);
    const answer = await person.post('/auth/api-keys');
    expect([answer.status, (answer.body as { code: string }).code]).toEqual([400, 'TOO_MANY_API_KEYS']);
  });

  it('cannot create, rename, revoke or delete keys: that requires a session', async () => {
    const { id } = await createKey('Another');
    const calls = [
      owner.post('/auth/api-keys'),
      owner.patch(`/auth/api-keys/${id}/rename`, { name: 'Mine' }),
      owner.post(`/auth/api-keys/${id}/revoke`),
      owner.delete(`/auth/api-keys/${id}`),
    ];
    for (const { status: code, body } of await Promise.all(calls)) {
      expect([code, (body as { code: string }).code]).toEqual([400, 'SESSION_REQUIRED']);
    }
    expect(await list(owner)).toHaveLength(2);
  });

  it('record when and from where they were last used, at most once a minute', async () => {
    const { id, client } = await createKey('Office');
    const used = async () => (await list(owner)).find((key) => key._id === id);
    service.clock.stop();
    expect(await used()).not.toHaveProperty('lastUsedAt');
    expect(await status(client)).toBe(200);
    const first = await eventually(used, (key) => key?.lastUsedAt !== undefined);
    expect(first).toMatchObject({ lastUsedFrom: '127.0.0.1' });
    service.clock.advance(59_000);
    await Promise.all(Array.from({ length: 5 }, () => status(client)));
    service.clock.advance(2_000);
    expect((await used())?.lastUsedAt).toBe(first?.lastUsedAt);
    await Promise.all(Array.from({ length: 5 }, () => status(client)));
    await eventually(used, (key) => key?.lastUsedAt !== first?.lastUsedAt);
    service.clock.resume();
  });

  it('of another account are answered like unknown keys', async () => {
    const stranger = await service.newAccount();
    const intruder = await service.signIn(stranger);
    const { id, client } = await createKey('Mine');
    const unknown = '665f1c2ab7e1d4a9c0f3e812';
    const routes = [
      ['post', '/revoke', {}],
      ['patch', '/rename', { name: 'Theirs' }],
      ['delete', '', {}],
    ] as const;
    for (const [method, path, body] of routes) {
      const call = (key: string) =>
        method === 'delete'
          ? intruder.delete(`/auth/api-keys/${key}${path}`)
          : intruder[method](`/auth/api-keys/${key}${path}`, body);
      const [foreign, never, malformed] = [await call(id), await call(unknown), await call('nope')];
      expect([foreign.status, foreign.body]).toEqual([404, never.body as object]);
      expect(never.status).toBe(404);
      expect(malformed.status).toBe(400);
      expect(malformed.body).toMatchObject({ details: [{ field: 'id' }] });
    }
    expect(await list(stranger, 'all')).toHaveLength(1);
    expect(await status(client)).toBe(200);
    expect((await list(owner)).find((key) => key._id === id)?.name).toBe('Mine');
  });

  it.each<[string, object, string]>([
    ['a name that is a number', { name: 5 }, 'name'],
    ['a name too long', { name: 'x'.repeat(65) }, 'name'],
    ['an unknown kind', { kind: 'master' }, 'kind'],
    ['a malformed device', { kind: 'phone', deviceId: 'Kitchen' }, 'deviceId'],
    ['a full key for a device', { deviceId: '665f1c2ab7e1d4a9c0f3e812' }, 'deviceId'],
  ])('%s is refused with the name of the field, and nothing is stored', async (_, body, field) => {
    const answer = await person.post('/auth/api-keys', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ details: [{ field }] });
    expect(await list(owner, 'all')).toHaveLength(1);
  });

  it.each(['gone', 'active&status=all'])(
    'refuses the status "%s" with the name of the field',
    async (status) => {
      const answer = await owner.get(`/auth/api-keys?status=${status}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ details: [{ field: 'status' }] });
    },
  );
});
