import type { LoggerService } from '@nestjs/common';
import { getQueueToken } from '@nestjs/bull';
import type { Job, Queue } from 'bull';
import type Redis from 'ioredis';
import { type Connection, Types } from 'mongoose';
import { getConnectionToken } from '@nestjs/mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { hashSecret } from '../../src/auth/token';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { PasswordHasher } from '../../src/auth/passwords/password-hasher.service';
import { RequestRateLimiter } from '../../src/auth/limits/request-rate-limiter.service';
import { REDIS } from '../../src/infrastructure/redis/redis-client';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { ErasureRepository } from '../../src/erasure/erasure.repository';
import { ErasureService, ERASURE_GRACE_PERIOD_MS } from '../../src/erasure/erasure.service';
import { DISPATCH_QUEUE } from '../../src/gateway/waves/dispatch.queue';
import { DELIVERY_QUEUE } from '../../src/webhooks/runners/delivery.queue';
import { WebhookSubscriptionsRepository } from '../../src/webhooks/subscriptions/webhook-subscriptions.repository';
import { TestClient } from '../support/client';
import { type CrashPoint, crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { ScriptedLookup } from '../support/scripted-lookup';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { countStoredDocuments } from '../support/count-stored-documents';
import { untilErased } from '../support/until-erased';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const HOUR_S = 3_600;
const PASSWORD = 'correct horse battery staple';

/** Collections without data of accounts, or whose `_id` is the account. What operators did names accounts by id only. */
const NOT_BY_USER = [
  'accounts',
  'usages',
  'plans',
  'leases',
  'migrations',
  'operatoractions',
  'installationsecrets',
];

describe('the erasure of an account', () => {
  let service: TestService;
  let owner: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ lookup: new ScriptedLookup(), environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    const passwordHash = await service.get(PasswordHasher).hash(PASSWORD);
    await service
      .get(AccountsRepository)
      .setPassword(accountScope(owner.user), passwordHash, null, new Date());
    device = await owner.newDevice();
    await owner.send(['+4915112345678', '+4915112345679']);
    const sms = { sender: '+49151', message: 'Hi', receivedAtInMillis: 5 };
    await owner.post(`/gateway/devices/${device}/receive-sms`, sms);
    const webhook = { deliveryUrl: 'https://example.com/hook', events: ['MESSAGE_RECEIVED'] };
    await owner.post('/webhooks', { ...webhook, signingSecret: 'a secret of twenty letters' });
  });
  afterAll(() => service.stop());

  const erasures = () => service.get(ErasureService);
  /** Whether the account's key is a known credential in Redis. */
  const isMarked = async () => {
    const redis = service.app.get<Redis>(REDIS, { strict: false });
    const mark = `${service.get(RedisConfig).prefix}:known-credential:${hashSecret(owner.apiKey)}`;
    return (await redis.exists(mark)) === 1;
  };
  const stored = () => countStoredDocuments(service, owner);

  it('covers every collection', () => {
    const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const covered = service.get(ErasureRepository).collections;
    const others = Object.values(models).map(({ collection }) => collection.name);
    // Collections with a `user` field are covered; list those without one above.
    expect(others.filter((name) => !covered.includes(name) && !NOT_BY_USER.includes(name))).toEqual([]);
    expect(covered).toEqual(
      expect.arrayContaining(['apikeys', 'devices', 'messages', 'batches', 'sessions']),
    );
  });

  it('requires the password and a session, then refuses all credentials and removes all data', async () => {
    const before = await stored();
    expect(before).toMatchObject({ accounts: 1, apikeys: 1, devices: 1, messages: 3, batches: 1, usages: 1 });
    const person = await service.signIn(owner);
    const erase = (caller: { delete: TestClient['delete'] }, password: string) =>
      caller.delete('/auth/account').send({ password });
    expect((await erase(owner, PASSWORD)).body).toMatchObject({ code: 'SESSION_REQUIRED' });
    expect((await erase(person, 'wrong')).body).toMatchObject({
      code: 'WRONG_PASSWORD',
      message: expect.stringMatching(/^password is not/) as unknown,
    });
    expect((await erase(person, '')).status).toBe(400);
    const account = await service.collection('accounts').findOne({ _id: owner.user });
    expect((await erase(person, PASSWORD)).status).toBe(200);

    expect((await person.get('/auth/who-am-i')).status).toBe(401);
    expect((await owner.get('/auth/who-am-i')).status).toBe(401);
    expect((await owner.get(`/gateway/devices/${device}/messages/pending`)).status).toBe(401);
    expect((await service.collection('devices').findOne({ user: owner.user }))?.enabled).toBe(false);
    expect(await service.get(AccountsRepository).findCredentials(String(account?.email))).toBeNull();

    await eventually(
      async () => {
        // What was in progress may have written once more.
        await erasures().resume();
        return JSON.stringify(await stored());
      },
      (left) => left === '{"accounts":1}',
    );
    await untilErased(service, owner);
  });

  it('removes what is written after the first run, and no data of other accounts', async () => {
    const other = await service.newAccount();
    await other.newDevice();
    expect(await isMarked()).toBe(true);
    await erasures().start(accountScope(owner.user));
    await erasures().resume();
    expect(await isMarked()).toBe(false);
    await service.collection('messages').insertOne({ user: owner.user, message: 'late' });
    service.clock.advance(ERASURE_GRACE_PERIOD_MS);
    await erasures().resume();
    expect(await stored()).toEqual({ accounts: 1 });
    await untilErased(service, owner);
    expect((await other.get('/gateway/devices')).body).toMatchObject({ data: [{}] });
  });

  it('looks at every account in one run, however many wait for their end', async () => {
    const waiting = Array.from({ length: 45 }, () => ({ _id: new Types.ObjectId() }));
    const erasingSince = service.clock.now();
    const accounts = service.collection('accounts');
    await accounts.insertMany(
      waiting.map(({ _id }) => ({ _id, email: `${String(_id)}@erased.invalid`, erasingSince })),
    );
    await service.collection('messages').insertMany(waiting.map(({ _id }) => ({ user: _id, message: 'x' })));
    const users = waiting.map(({ _id }) => _id);
    await erasures().resume();
    expect(await service.collection('messages').countDocuments({ user: { $in: users } })).toBe(0);
    service.clock.advance(ERASURE_GRACE_PERIOD_MS);
    await erasures().resume();
    expect(await accounts.countDocuments({ _id: { $in: users } })).toBe(0);
  });

  const steps: [string, CrashPoint, 'before' | 'after'][] = [
    ['after the mark', crashAtCall(ErasureRepository, 'start'), 'after'],
    ['before the keys', crashAtCall(ApiKeysRepository, 'revokeAll'), 'before'],
    ['after the keys', crashAtCall(ApiKeysRepository, 'revokeAll'), 'after'],
    ['after the devices', crashAtCall(DevicesRepository, 'markAllDeleted'), 'after'],
    ['after the webhooks', crashAtCall(WebhookSubscriptionsRepository, 'removeAll'), 'after'],
    ['before the usage', crashAtCall(ErasureRepository, 'removeUsage'), 'before'],
    ['after the usage', crashAtCall(ErasureRepository, 'removeUsage'), 'after'],
    ['before a batch', crashAtCall(ErasureRepository, 'removeBatch'), 'before'],
    ['after a batch', crashAtCall(ErasureRepository, 'removeBatch'), 'after'],
    ['after the known credentials in Redis', crashAtCall(RequestRateLimiter, 'removeAllKnown'), 'after'],
    ['before the account', crashAtCall(ErasureRepository, 'removeAccount'), 'before'],
    ['after the account', crashAtCall(ErasureRepository, 'removeAccount'), 'after'],
  ];
  it.each(steps)('resumes after a process died %s', async (_, step, when) => {
    step(service, when);
    await erasures()
      .start(accountScope(owner.user))
      .catch(() => undefined);
    await untilErased(service, owner);
  });
});

describe('the delayed jobs of an erased account', () => {
  const errors: string[] = [];
  const ignore = () => undefined;
  const report = (...parts: unknown[]): void => {
    errors.push(parts.map(String).join(' '));
  };
  const logger: LoggerService = { log: ignore, warn: ignore, error: report, fatal: report };
  const transport = new ScriptedTransport();
  let receiver: WebhookReceiver;
  let service: TestService;
  let owner: WebhookOwner;
  let batch: string;
  let webhook: string;

  beforeAll(async () => {
    receiver = await WebhookReceiver.start(respondWith(503, '', { 'retry-after': String(HOUR_S) }));
    const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
    service = await TestService.start({ environment, transport, logger });
    for (const queue of queues()) queue.on('failed', (_job, failure) => errors.push(String(failure)));
    // The schedulers would do the work of the jobs.
    service.stopTimers();
  });
  beforeEach(async () => {
    owner = await WebhookOwner.create(service);
    const scheduledAt = new Date(service.clock.now().getTime() + HOUR_S * 1_000).toISOString();
    batch = await owner.client.send(['+4915112345678'], { scheduledAt });
    webhook = await owner.subscribe(receiver);
    await owner.receive('Hi');
    await eventually(delayedJobs, (jobs) => jobs.length === 2);
    receiver.received.length = 0;
    errors.length = 0;
  });
  afterAll(async () => {
    await service.stop();
    await receiver.stop();
  });

  const queues = () =>
    [DISPATCH_QUEUE, DELIVERY_QUEUE].map((name) =>
      service.app.get<Queue>(getQueueToken(name), { strict: false }),
    );
  const isOurs = ({ id }: Job) => [batch, webhook].some((prefix) => String(id).startsWith(prefix));
  async function delayedJobs(): Promise<Job[]> {
    const jobs = await Promise.all(queues().map((queue) => queue.getDelayed()));
    return jobs.flat().filter(isOurs);
  }
  async function unfinishedJobs(): Promise<number> {
    const jobs = await Promise.all(queues().map((queue) => queue.getJobs(['waiting', 'active', 'delayed'])));
    // Bull lists a job that finishes meanwhile as null.
    return jobs.flat().filter((job: Job | null) => job && isOurs(job)).length;
  }
  /** The collections that mention the batch or the webhook. */
  async function mentioning(): Promise<string[]> {
    const { models } = service.app.get<Connection>(getConnectionToken(), { strict: false });
    const ids = { $in: [batch, webhook].map((id) => new Types.ObjectId(id)) };
    const fields = ['_id', 'smsBatch', 'webhookSubscription'].map((field) => ({ [field]: ids }));
    const found = await Promise.all(
      Object.values(models).map(async ({ collection: { name } }) => {
        const document = await service.collection(name).findOne({ $or: fields });
        return document ? [name] : [];
      }),
    );
    return found.flat();
  }

  it.each([
    ['the data is removed', true],
    ['the account is closed, but its data is not removed yet', false],
  ])('send, store and fail nothing when they run after %s', async (_, isRemoved) => {
    await service.get(ErasureService).start(accountScope(owner.client.user));
    if (isRemoved) {
      await untilErased(service, owner.client);
      expect(await mentioning()).toEqual([]);
    }
    service.clock.advance(HOUR_S * 1_000);
    const jobs = await delayedJobs();
    expect(jobs).toHaveLength(2);
    for (const job of jobs) await job.promote();
    await eventually(unfinishedJobs, (count) => count === 0);

    if (!isRemoved) await untilErased(service, owner.client);
    expect(await countStoredDocuments(service, owner.client)).toEqual({});
    expect(await mentioning()).toEqual([]);
    expect({ pushed: transport.pushed, received: receiver.received, errors }).toEqual({
      pushed: [],
      received: [],
      errors: [],
    });
  });
});
