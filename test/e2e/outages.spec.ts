import { setTimeout as sleep } from 'node:timers/promises';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { VirtualPhone } from 'messaging-gateway-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { fastestRunMs } from '../support/fastest-run';
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
    );

  it.each(['cut', 'freeze'] as const)(
    'accepts sends within about a second while Redis is unavailable (%s), and dispatches all of them',
    async (how) => {
      redis[how]();
      const batches: string[] = [];
      const send = async () => batches.push(await client.send(['+4915112345678']));
      // Without its own timeout it would wait for the whole outage.
      expect(await fastestRunMs(1, send)).toBeLessThan(10_000);
      // Only the first request waits a second for Redis.
      expect(await fastestRunMs(5, send)).toBeLessThan(1_000);
      redis.restore();
      service.clock.advance(10_000);
      await eventually(
        async () => {
          // Schedulers for waves and for undelivered stream messages.
          await service.get(DispatchScheduler).dispatchOverdue();
          await service.get(PhoneStreamService).redeliver();
          return client.batch(phone.deviceId, batches.at(-1) ?? '');
        },
        ({ batch }) => batch.status === 'completed',
      );
      for (const batch of batches) await delivered(batch);
      expect(new Set(phone.airLog.map(({ smsId }) => smsId)).size).toBe(phone.airLog.length);
      // Redis is used again: nothing waits for a scheduler.
      await eventually(
        async () => {
          const started = Date.now();
          await delivered(await client.send(['+4915112345678']));
          return Date.now() - started;
        },
        (took) => took < 4_000,
      );
    },
  );

  it('uses the queues again after a Redis outage', async () => {
    redis.cut();
    await sleep(6_000); // the reconnect delay grows
    redis.restore();
    const sweeps = jest.spyOn(service.get(DispatchScheduler), 'dispatchOverdue').mockResolvedValue(undefined);
    try {
      // A message accepted before the reconnect waits for a scheduler.
      const batches: string[] = [];
      await eventually(
        async () => {
          batches.push(await client.send(['+4915112345678']));
          const states = batches.map((batch) => client.batch(phone.deviceId, batch));
          return (await Promise.all(states)).map(({ batch }) => batch.status);
        },
        (states) => states.includes('completed'),
      );
    } finally {
      sweeps.mockRestore();
    }
  });

  it('responds with 503 while the database is unavailable, leaves no partial writes, and recovers', async () => {
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
    );
    await delivered(await client.send(['+4915112345678']));
  });
});
