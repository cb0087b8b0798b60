import { setTimeout as sleep } from 'node:timers/promises';
import { DispatchScheduler } from '../../src/gateway/dispatch.scheduler';
import { VirtualPhone } from '../../tools/virtual-phone/virtual-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { fastestOf } from '../support/fastest';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';

describe('outages', () => {
  let redis: TcpProxy;
  let mongo: TcpProxy;
  let service: TestService;
  let client: TestClient;
  let phone: VirtualPhone;

  beforeAll(async () => {
    const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
    [redis, mongo] = [await TcpProxy.to(REDIS_URL), await TcpProxy.to(MONGODB_URI)];
    service = await TestService.start({
      environment: { REDIS_URL: redis.via(REDIS_URL), MONGODB_URI: mongo.via(MONGODB_URI) },
    });
    client = await service.newAccount();
    phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
  });
  afterAll(async () => {
    redis.restore();
    mongo.restore();
    await phone.stop();
    await service.stop();
    await Promise.all([redis.close(), mongo.close()]);
  });

  const delivered = (batch: string) =>
    eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) => messages.every(({ status }) => status === 'delivered'),
      20_000,
    );

  it.each(['cut', 'freeze'] as const)(
    'Redis away (%s): sends are accepted within a second or so, and go out when it is back',
    async (how) => {
      redis[how]();
      const batches: string[] = [];
      const send = async () => batches.push(await client.send(['+4915112345678']));
      // Without a limit of its own it would wait for as long as Redis is away.
      expect(await fastestOf(1, send)).toBeLessThan(10_000);
      // After the first one the others do not wait for Redis again.
      expect(await fastestOf(3, send)).toBeLessThan(500);
      redis.restore();
      service.clock.advance(10_000);
      await eventually(
        async () => {
          await service.get(DispatchScheduler).dispatchOverdue();
          return client.batch(phone.deviceId, batches.at(-1) ?? '');
        },
        ({ batch }) => batch.status === 'completed',
        25_000,
      );
      for (const batch of batches) await delivered(batch);
      expect(new Set(phone.airLog.map(({ smsId }) => smsId)).size).toBe(phone.airLog.length);
      // And the way over Redis is open again: nothing waits for a sweep.
      await eventually(
        async () => {
          const started = Date.now();
          await delivered(await client.send(['+4915112345678']));
          return Date.now() - started;
        },
        (took) => took < 1_000,
        20_000,
      );
    },
    60_000,
  );

  it('Redis back after a while: within three seconds nothing waits for a sweep any more', async () => {
    redis.cut();
    await sleep(6_000);
    redis.restore();
    await sleep(3_000);
    const started = Date.now();
    await delivered(await client.send(['+4915112345678']));
    expect(Date.now() - started).toBeLessThan(4_500); // a sweep takes nothing that is due for less than 5 s
  }, 60_000);

  it('the database away: a clear 503, nothing half done, and all is well when it is back', async () => {
    mongo.cut();
    const refused = await client.post('/gateway/send-sms', {
      message: 'Hello',
      recipients: ['+4915112345678'],
    });
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ code: 'UNAVAILABLE' });
    mongo.restore();
    await eventually(
      () => client.get('/gateway/stats'),
      ({ status }) => status === 200,
      15_000,
    );
    await delivered(await client.send(['+4915112345678']));
  }, 60_000);
});
