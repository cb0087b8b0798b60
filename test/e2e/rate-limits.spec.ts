import { request as httpRequest } from 'node:http';
import Redis from 'ioredis';
import request from 'supertest';
import { AuthService } from '../../src/auth/authentication/auth.service';
import { Environment } from '../../src/config/environment/environment';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { fastestRunMs } from '../support/fastest-run';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { SessionClient } from '../support/session-client';

const WRONG_KEY = 'mgw_thisKeyOpensNothingAtAll000000000';
const NOT_LIMITED = { RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_PER_ADDRESS: '0' };

describe('rate limits', () => {
  const started: TestService[] = [];
  const start = async (environment: Environment, shared?: TestService) => {
    const service = await TestService.start({ environment: { ...NOT_LIMITED, ...environment }, shared });
    started.unshift(service);
    return service;
  };
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const service of started.splice(0)) await service.stop();
  });

  const statusesOf = async (answers: Promise<{ status: number }>[]) =>
    (await Promise.all(answers)).map(({ status }) => status);
  const countStatuses = (statuses: number[], status: number) =>
    statuses.filter((each) => each === status).length;
  const times = <T>(count: number, work: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => work(i));
  const wrong = (service: TestService, headers: Record<string, string> = {}) =>
    request(service.url)
      .get('/api/v1/gateway/stats')
      .set({ 'x-api-key': WRONG_KEY, ...headers });
  const stats = (client: TestClient) => client.get('/gateway/stats');

  describe('of a credential', () => {
    it('allow exactly the configured number of concurrent requests at two processes', async () => {
      const [one] = [await start({ RATE_LIMIT_PER_KEY: '40' })];
      const two = await start({ RATE_LIMIT_PER_KEY: '40' }, one);
      const client = await one.newAccount();
      const statuses = await statusesOf(times(80, (i) => stats(i % 2 ? client : client.at(two.url))));
      expect([countStatuses(statuses, 200), countStatuses(statuses, 429)]).toEqual([40, 40]);
    });

    it('refuse with the standard error and Retry-After, and do not affect other keys', async () => {
      const service = await start({ RATE_LIMIT_PER_KEY: '1' });
      const client = await service.newAccount();
      expect((await stats(client)).status).toBe(200);
      for (let again = 0; again < 2; again++) {
        const answer = await stats(client);
        expect(answer.status).toBe(429);
        const { error, message, code } = answer.body as Record<string, string>;
        expect(code).toBe('RATE_LIMITED');
        expect(error).toBe(message);
        const seconds = Number(answer.get('retry-after'));
        expect(seconds).toBeGreaterThan(50);
        expect(seconds).toBeLessThanOrEqual(60);
        expect(answer.headers).toMatchObject({
          'ratelimit-limit': '1',
          'ratelimit-remaining': '0',
          'ratelimit-reset': String(seconds),
        });
      }
      expect((await stats(await service.newAccount())).status).toBe(200);
    });

    it('are checked before the body is read', async () => {
      const service = await start({ RATE_LIMIT_PER_KEY: '1' });
      const client = await service.newAccount();
      await stats(client);
      const status = await new Promise<number | undefined>((resolve, reject) => {
        const call = httpRequest(`${service.url}/api/v1/gateway/send-sms`, {
          method: 'POST',
          headers: { 'x-api-key': client.apiKey, 'content-length': '1000' },
        });
        call.on('response', (answer) => {
          resolve(answer.statusCode);
          call.destroy();
        });
        call.on('error', reject);
        call.write('{'); // and never the rest
      });
      expect(status).toBe(429);
    });

    it('cause no calls to the database or Redis until the minute ends, once exceeded', async () => {
      const service = await start({ RATE_LIMIT_PER_KEY: '1' });
      const client = await service.newAccount();
      const authenticate = jest.spyOn(service.get(AuthService), 'authenticate');
      await statusesOf([stats(client), stats(client)]);
      authenticate.mockClear();
      expect((await stats(client)).status).toBe(429);
      expect(authenticate).not.toHaveBeenCalled();

      const redis = new Redis(service.environment.REDIS_URL ?? '');
      const counters = await redis.keys(`${service.environment.REDIS_PREFIX ?? ''}:rates:*`);
      for (const counter of counters) expect(await redis.pttl(counter)).toBeGreaterThan(0);
      await redis.del(counters); // as Redis does at the end of the minute
      await redis.quit();
      expect((await stats(client)).status).toBe(429);
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      expect((await stats(client)).status).toBe(200);
    });

    it('do not delay reports and uploads of the phone', async () => {
      const service = await start({ RATE_LIMIT_PER_KEY: '3' });
      const client = await service.newAccount();
      const device = await client.newDevice();
      const [smsId] = (await client.batch(device, await client.send(['+4915112345678']))).messages.map(
        ({ _id }) => _id,
      );
      expect((await stats(client)).status).toBe(429);
      const answers = await Promise.all([
        client.report(device, smsId ?? '', 'SENT'),
        client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49151', message: 'Hi' }),
        client.post(`/gateway/devices/${device}/receiveSMS`, { sender: '+49151', message: 'Ho' }),
        client.post(`/gateway/devices/${device}/heartbeat`),
        client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [smsId] }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    });

    it('count all sessions of an account together, apart from its keys', async () => {
      const service = await start({ RATE_LIMIT_PER_KEY: '2', ALLOW_REGISTRATION: 'true' });
      const visitor = new SessionClient(service.url);
      const here = await visitor.register('ada@example.com', 'correct horse battery');
      const there = await visitor.logIn('ada@example.com', 'correct horse battery');
      const now = new Date();
      await service
        .collection('accounts')
        .updateOne({ email: 'ada@example.com' }, { $set: { emailVerifiedAt: now, firstVerifiedAt: now } });
      const made = await here.post('/auth/api-keys');
      expect((await there.get('/gateway/stats')).status).toBe(200);
      expect(await statusesOf([here.get('/gateway/stats'), there.get('/gateway/stats')])).toEqual([429, 429]);
      expect((await here.get('/gateway/stats')).body).toMatchObject({
        message: expect.stringContaining('from the sessions of this account') as string,
      });
      const key = (made.body as { data: string }).data;
      expect((await visitor.get('/gateway/stats').set('x-api-key', key)).status).toBe(200);
    });
  });

  describe('of unauthenticated requests of an address', () => {
    it('look up exactly the configured number of concurrent credentials', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '30' });
      const statuses = await statusesOf(times(60, () => wrong(service)));
      expect([countStatuses(statuses, 401), countStatuses(statuses, 429)]).toEqual([30, 30]);
    });

    it('then refuse unknown keys without a lookup, and accept known keys at every process', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '3' });
      const other = await start({ RATE_LIMIT_PER_ADDRESS: '3' }, service);
      const [known, unknown] = [await service.newAccount(), await service.newAccount()];
      expect((await stats(known)).status).toBe(200);
      for (const process of [service, other]) await statusesOf(times(4, () => wrong(process)));

      for (const process of [service, other]) {
        const authenticate = jest.spyOn(process.get(AuthService), 'authenticate');
        expect((await wrong(process)).status).toBe(429);
        expect((await wrong(process).unset('x-api-key')).status).toBe(429);
        expect((await stats(unknown.at(process.url))).status).toBe(429);
        expect(authenticate).not.toHaveBeenCalled();
        expect((await stats(known.at(process.url))).status).toBe(200);
      }
    });

    it('remove a revoked key from the known ones', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '3' });
      const client = await service.newAccount();
      expect((await stats(client)).status).toBe(200);
      await statusesOf(times(4, () => wrong(service)));
      await service
        .collection('apikeys')
        .updateOne({ user: client.user }, { $set: { revokedAt: new Date() } });
      const authenticate = jest.spyOn(service.get(AuthService), 'authenticate');
      expect(await statusesOf([stats(client)])).toEqual([429]);
      expect(authenticate).toHaveBeenCalledTimes(1);
      expect(await statusesOf([stats(client)])).toEqual([429]);
      expect(authenticate).toHaveBeenCalledTimes(1);
    });

    it('treat session tokens like keys', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '3', ALLOW_REGISTRATION: 'true' });
      const ada = await new SessionClient(service.url).register('ada@example.com', 'correct horse battery');
      expect((await ada.get('/gateway/stats')).status).toBe(200);
      const forged = () => new SessionClient(service.url, 'forged').get('/gateway/stats');
      // The registration counts too.
      expect(countStatuses(await statusesOf(times(6, forged)), 429)).toBe(4);
      expect((await ada.get('/gateway/stats')).status).toBe(200);
    });
  });

  describe('the client address', () => {
    const from = (service: TestService, forwarded: string) =>
      wrong(service, { 'x-forwarded-for': forwarded });

    it('ignores X-Forwarded-For unless a proxy is trusted', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '5' });
      const statuses = await statusesOf(times(10, (i) => from(service, `203.0.113.${i}`)));
      expect(countStatuses(statuses, 429)).toBe(5);
    });

    it.each(['loopback', '127.0.0.0/8, 10.0.0.1', '1'])(
      'is taken from a trusted proxy (TRUST_PROXY=%s), and never from entries before it',
      async (TRUST_PROXY) => {
        const service = await start({ RATE_LIMIT_PER_ADDRESS: '5', TRUST_PROXY });
        const apart = await statusesOf(times(10, (i) => from(service, `203.0.113.${i}`)));
        expect(countStatuses(apart, 429)).toBe(0);
        const forged = await statusesOf(times(10, (i) => from(service, `198.51.100.${i}, 203.0.113.99`)));
        expect(countStatuses(forged, 429)).toBe(5);
      },
    );

    it('is the /64 of an IPv6 address, and the same for both notations of an IPv4 address', async () => {
      const service = await start({ RATE_LIMIT_PER_ADDRESS: '5', TRUST_PROXY: '1' });
      const near = await statusesOf(times(10, (i) => from(service, `2001:db8:1:2:${i}::${i}`)));
      expect(countStatuses(near, 429)).toBe(5);
      expect((await from(service, '2001:db8:1:3::1')).status).toBe(401);
      const both = await statusesOf(times(10, (i) => from(service, `${i % 2 ? '::ffff:' : ''}192.0.2.1`)));
      expect(countStatuses(both, 429)).toBe(5);
    });

    it('limits logins too', async () => {
      const service = await start({ TRUST_PROXY: 'loopback' });
      const logIn = (address: string) =>
        request(service.url)
          .post('/api/v1/auth/login')
          .set('x-forwarded-for', address)
          .send({ email: 'ada@example.com', password: 'a wrong password' });
      const statuses = await statusesOf(times(12, () => logIn('203.0.113.1')));
      expect([countStatuses(statuses, 401), countStatuses(statuses, 429)]).toEqual([10, 2]);
      expect((await logIn('203.0.113.2')).status).toBe(401);
    });
  });

  it.each(['cut', 'freeze'] as const)(
    'apply per process without Redis (%s), and no request waits long',
    async (how) => {
      const { REDIS_URL = '' } = process.env;
      const proxy = await TcpProxy.to(REDIS_URL);
      const environment = {
        REDIS_URL: proxy.via(REDIS_URL),
        RATE_LIMIT_PER_KEY: '5',
        RATE_LIMIT_PER_ADDRESS: '5',
      };
      const service = await start(environment);
      const client = await service.newAccount();
      // Of another account: if this process counts it because Redis is slow, it counts for that one.
      expect((await stats(await service.newAccount())).status).toBe(200);
      proxy[how]();
      const startedAt = Date.now();
      expect(countStatuses(await statusesOf(times(20, () => stats(client))), 200)).toBe(5);
      expect(Date.now() - startedAt).toBeLessThan(10_000);
      expect(countStatuses(await statusesOf(times(20, () => wrong(service))), 401)).toBe(5);
      expect(await fastestRunMs(3, () => wrong(service))).toBeLessThan(1_000);

      // The address is over its limit: known credentials pass, unknown ones are not looked up.
      const authenticate = jest.spyOn(service.get(AuthService), 'authenticate');
      expect((await wrong(service)).status).toBe(429);
      expect(authenticate).not.toHaveBeenCalled();
      const report = await client.post('/gateway/devices/0123456789abcdef01234567/heartbeat');
      expect(report.status).toBe(404);

      const logIn = () =>
        request(service.url)
          .post('/api/v1/auth/login')
          .send({ email: 'ada@example.com', password: 'wrong one' });
      const logIns = await statusesOf(times(14, logIn));
      expect(logIns).not.toContain(500);
      expect(countStatuses(logIns, 401)).toBeLessThanOrEqual(10);
      expect(countStatuses(logIns, 429)).toBeGreaterThanOrEqual(4);

      proxy.restore();
      const other = await start({ ...environment, REDIS_URL }, service);
      // Counted in Redis again: this process refuses what the other one counted.
      await eventually(
        async () => {
          await statusesOf(times(6, () => stats(client.at(other.url))));
          const redis = new Redis(REDIS_URL);
          const counters = await redis.keys(`${service.environment.REDIS_PREFIX ?? ''}:rates:key:*`);
          await redis.quit();
          return counters.length;
        },
        (counters) => counters > 0,
        15_000,
      );
      await service.stop();
      started.splice(started.indexOf(service), 1);
      await proxy.close();
    },
  );
});
