import type { Connection } from 'mongoose';
import { getConnectionToken } from '@nestjs/mongoose';
import { AccountsRepository } from '../../src/auth/accounts.repository';
import { ApiKeysRepository } from '../../src/auth/api-keys.repository';
import { Passwords } from '../../src/auth/passwords';
import { DevicesRepository } from '../../src/devices/devices.repository';
import { ErasureRepository } from '../../src/erasure/erasure.repository';
import { ErasureService, STRAGGLER_LIMIT_MS } from '../../src/erasure/erasure.service';
import { SubscriptionsRepository } from '../../src/webhooks/subscriptions.repository';
import { TestClient } from '../support/client';
import { type Step, killedAt } from '../support/killed-at';
import { ScriptedLookup } from '../support/scripted-lookup';
import { TestService } from '../support/service';

const PASSWORD = 'correct horse battery staple';

/** Collections that hold nothing of an account, or whose documents are named after their account. */
const NOT_BY_USER = ['accounts', 'usages', 'plans', 'rounds', 'processes', 'migrations', 'migrationleases'];

describe('the erasure of an account', () => {
  let service: TestService;
  let owner: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ lookup: new ScriptedLookup(), environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    const passwordHash = await service.get(Passwords).hash(PASSWORD);
    await service.get(AccountsRepository).setPassword(owner, passwordHash, null, new Date());
    device = await owner.newDevice();
    await owner.send(['+4915112345678', '+4915112345679']);
    const sms = { sender: '+49151', message: 'Hi', receivedAtInMillis: 5 };
    await owner.post(`/gateway/devices/${device}/receive-sms`, sms);
    const webhook = { deliveryUrl: 'https://example.com/hook', events: ['MESSAGE_RECEIVED'] };
    await owner.post('/webhooks', { ...webhook, signingSecret: 'a secret of twenty letters' });
  });
  afterAll(() => service.stop());

  const erasures = () => service.get(ErasureService);
  /** How many documents of the account there are, by collection. */
  async function stored(): Promise<Record<string, number>> {
    const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const counts = await Promise.all(
      Object.values(models).map(async ({ collection }) => {
        const count = await service
          .collection(collection.name)
          .countDocuments({ $or: [{ user: owner.user }, { _id: owner.user }] });
        return [collection.name, count] as const;
      }),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  it('covers every collection there is', () => {
    const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const covered = service.get(ErasureRepository).collections;
    const others = Object.values(models).map(({ collection }) => collection.name);
    // A new collection is covered by naming its account in `user`; one that has none is listed above.
    expect(others.filter((name) => !covered.includes(name) && !NOT_BY_USER.includes(name))).toEqual([]);
    expect(covered).toEqual(
      expect.arrayContaining(['apikeys', 'devices', 'messages', 'batches', 'sessions']),
    );
  });

  it('wants the password, in a session; then nothing opens the account, and all of it goes', async () => {
    const before = await stored();
    expect(before).toMatchObject({ accounts: 1, apikeys: 1, devices: 1, messages: 3, batches: 1, usages: 1 });
    const person = await service.signedIn(owner);
    const erase = (caller: { delete: TestClient['delete'] }, password: string) =>
      caller.delete('/auth/account').send({ password });
    expect((await erase(owner, PASSWORD)).body).toMatchObject({ code: 'SESSION_REQUIRED' });
    expect((await erase(person, 'wrong')).body).toMatchObject({ code: 'WRONG_PASSWORD' });
    expect((await erase(person, '')).status).toBe(400);
    const account = await service.collection('accounts').findOne({ _id: owner.user });
    expect((await erase(person, PASSWORD)).status).toBe(200);

    expect((await person.get('/auth/who-am-i')).status).toBe(401);
    expect((await owner.get('/auth/who-am-i')).status).toBe(401);
    expect((await owner.get(`/gateway/devices/${device}/messages/pending`)).status).toBe(401);
    expect((await service.collection('devices').findOne({ user: owner.user }))?.enabled).toBe(false);
    expect(await service.get(AccountsRepository).findLogin(String(account?.email))).toBeNull();

    await erasures().resume();
    expect(await stored()).toEqual({ accounts: 1 });
    service.clock.advance(STRAGGLER_LIMIT_MS);
    await erasures().resume();
    expect(await stored()).toEqual({});
  });

  it('removes what a straggler writes after the first run, and nothing of others', async () => {
    const other = await service.newAccount();
    await other.newDevice();
    await erasures().begin(owner);
    await erasures().resume();
    await service.collection('messages').insertOne({ user: owner.user, message: 'late' });
    service.clock.advance(STRAGGLER_LIMIT_MS);
    await erasures().resume();
    expect(await stored()).toEqual({ accounts: 1 });
    await erasures().resume();
    expect(await stored()).toEqual({});
    expect((await other.get('/gateway/devices')).body).toMatchObject({ data: [{}] });
  });

  const steps: [string, Step, 'before' | 'after'][] = [
    ['after the mark', killedAt(ErasureRepository, 'begin'), 'after'],
    ['before the keys', killedAt(ApiKeysRepository, 'revokeAll'), 'before'],
    ['after the keys', killedAt(ApiKeysRepository, 'revokeAll'), 'after'],
    ['after the devices', killedAt(DevicesRepository, 'markAllDeleted'), 'after'],
    ['after the webhooks', killedAt(SubscriptionsRepository, 'removeAll'), 'after'],
    ['before the usage', killedAt(ErasureRepository, 'removeUsage'), 'before'],
    ['after the usage', killedAt(ErasureRepository, 'removeUsage'), 'after'],
    ['before a batch', killedAt(ErasureRepository, 'removeBatch'), 'before'],
    ['after a batch', killedAt(ErasureRepository, 'removeBatch'), 'after'],
    ['before the account', killedAt(ErasureRepository, 'finish'), 'before'],
    ['after the account', killedAt(ErasureRepository, 'finish'), 'after'],
  ];
  it.each(steps)('goes on where a process died %s', async (_, step, when) => {
    step(service, when);
    await erasures()
      .begin(owner)
      .catch(() => undefined);
    await erasures().resume();
    service.clock.advance(STRAGGLER_LIMIT_MS);
    for (let run = 0; run < 3; run++) await erasures().resume();
    expect(await stored()).toEqual({});
  });
});
