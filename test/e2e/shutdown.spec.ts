import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PushResult } from '../../src/push/push-transport';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';

async function secondsOf(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return (performance.now() - start) / 1_000;
}

const CLIENTS = 10;

describe('a process that is asked to stop', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  it('stops although a client has connected and asks nothing', async () => {
    const api = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    const silent = connect(Number(new URL(api.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => silent.once('close', resolve));
    await sleep(200);
    expect(await secondsOf(api.stop())).toBeLessThan(3);
    await ended;
  });

  it('stops although clients go on asking on connections they keep open', async () => {
    const api = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    let asks = true;
    const ask = () =>
      new Promise<void>((resolve) => {
        const asked = request(`${api.url}/api/v1/gateway/stats`, { agent }, (answer) => {
          answer.resume().once('close', resolve);
        });
        asked.once('error', () => {
          asks = false;
          resolve();
        });
        asked.end();
      });
    const asking = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (asks) await ask();
      }),
    );
    await sleep(200);
    expect(await secondsOf(api.stop())).toBeLessThan(3);
    await asking;
    agent.destroy();
  });

  it.each(['cut', 'freeze'] as const)(
    'finishes what it has in hand, and stops, although Redis is away (%s)',
    async (how) => {
      const { REDIS_URL = '' } = process.env;
      const redis = await TcpProxy.to(REDIS_URL);
      const transport = new ScriptedTransport();
      let accept: (result: PushResult) => void = () => undefined;
      transport.answer = () =>
        new Promise((resolve) => {
          accept = resolve;
        });
      const worker = await TestService.start({
        environment: { APP_ROLES: 'worker', REDIS_URL: redis.via(REDIS_URL) },
        shared: service,
        transport,
      });
      const device = await client.newDevice();
      const batch = await client.send(['+4915112345678'], { deviceId: device });
      await eventually(
        () => transport.pushed.length,
        (count) => count === 1,
      );
      redis[how]();
      const stopped = secondsOf(worker.stop());
      await sleep(1_500);
      accept({ outcome: 'accepted' });
      expect(await stopped).toBeLessThan(10);
      const { messages } = await client.batch(device, batch);
      expect(messages.map(({ status }) => status)).toEqual(['dispatched']);
      await redis.close();
    },
  );
});
