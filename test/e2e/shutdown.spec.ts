import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { WebhookOwner } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const WITHOUT_EXIT = join(__dirname, '..', 'support', 'service-without-exit.cjs');
const LOOPBACK = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

async function secondsOf(work: Promise<void>): Promise<number> {
  const start = performance.now();
  await work;
  return (performance.now() - start) / 1_000;
}

const CLIENTS = 10;

describe('shutdown on SIGTERM', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start({ environment: { ...LOOPBACK, APP_ROLES: 'api' } });
  });
  afterAll(() => service.stop());

  it('stops with an idle client connection', async () => {
    const api = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    const silent = connect(Number(new URL(api.url).port), '127.0.0.1');
    const ended = new Promise((resolve) => silent.once('close', resolve));
    await sleep(200);
    expect(await secondsOf(api.stop())).toBeLessThan(15);
    await ended;
  });

  it('stops while clients keep sending requests on keep-alive connections', async () => {
    const api = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    let isRunning = true;
    const sendRequest = () =>
      new Promise<void>((resolve) => {
        const call = request(`${api.url}/api/v1/gateway/stats`, { agent }, (answer) => {
          answer.resume().once('close', resolve);
        });
        call.once('error', () => {
          isRunning = false;
          resolve();
        });
        call.end();
      });
    const asking = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (isRunning) await sendRequest();
      }),
    );
    await sleep(200);
    expect(await secondsOf(api.stop())).toBeLessThan(15);
    await asking;
    agent.destroy();
  });

  it.each(['cut', 'freeze'] as const)(
    'finishes active work and exits with 0 while Redis is unavailable (%s)',
    async (how) => {
      const { PATH, REDIS_URL = '' } = process.env;
      const redis = await TcpProxy.to(REDIS_URL);
      let held: ServerResponse | undefined;
      const receiver = await WebhookReceiver.start((_, response) => {
        held = response;
      });
      const owner = await WebhookOwner.create(service);
      await owner.subscribe(receiver);
      const worker = spawn(process.execPath, [MAIN], {
        env: {
          PATH,
          ...service.environment,
          ...LOOPBACK,
          APP_ROLES: 'worker',
          REDIS_URL: redis.via(REDIS_URL),
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(worker, 'exit');
      await owner.receive('Hello');
      await eventually(
        () => receiver.openRequests,
        (count) => count === 1,
      );
      redis[how]();
      worker.kill('SIGTERM');
      const startedAt = performance.now();
      await sleep(1_500);
      held?.writeHead(200).end();
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - startedAt).toBeLessThan(12_000);
      expect((await owner.deliveries()).map(({ computedStatus }) => computedStatus)).toEqual(['delivered']);
      await receiver.stop();
      await redis.close();
    },
  );

  it('does not wait long for the database to store the calls of phones that it has in memory', async () => {
    const { MONGODB_URI = '' } = process.env;
    const mongo = await TcpProxy.to(MONGODB_URI);
    const environment = { APP_ROLES: 'api', MONGODB_URI: mongo.via(MONGODB_URI) };
    const api = await TestService.start({ environment, shared: service });
    const account = (await service.newAccount()).at(api.url);
    const device = await account.newDevice();
    let isRunning = true;
    const work = async () => {
      const batch = await account.send(['+15550100'], { deviceId: device });
      const { messages } = await account.batch(device, batch);
      for (const { _id } of messages) await account.report(device, _id, 'SENT');
    };
    const calling = Promise.all(
      Array.from({ length: CLIENTS }, async () => {
        while (isRunning) await work().catch(() => sleep(50));
      }),
    );
    await sleep(2_500);
    mongo.cut();
    await sleep(2_500);
    const seconds = await secondsOf(api.stop());
    isRunning = false;
    await calling;
    await mongo.close();
    expect(seconds).toBeLessThan(15);
  });

  it('exits with 0 while the database is unavailable', async () => {
    const { PATH, MONGODB_URI = '' } = process.env;
    const mongo = await TcpProxy.to(MONGODB_URI);
    const all = spawn(process.execPath, [MAIN], {
      env: { PATH, ...service.environment, PORT: '0', MONGODB_URI: mongo.via(MONGODB_URI) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(all, 'exit');
    await new Promise<void>((resolve) => {
      all.stdout.on('data', (text) => {
        if (String(text).includes('Ready as')) resolve();
      });
    });
    mongo.cut();
    all.kill('SIGTERM');
    const startedAt = performance.now();
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    await mongo.close();
  });

  it.each<[string, (redis: TcpProxy) => Promise<void> | void]>([
    ['is there', () => undefined],
    ['refuses connections', (redis) => redis.close()],
    [
      'drops connections',
      (redis) => {
        redis.cut();
      },
    ],
    [
      'returns and does not answer',
      async (redis) => {
        redis.cut();
        await sleep(500);
        redis.freeze();
      },
    ],
    [
      'is frozen',
      (redis) => {
        redis.freeze();
      },
    ],
  ])('exits when Redis %s', async (_, make) => {
    const { PATH, REDIS_URL = '' } = process.env;
    const redis = await TcpProxy.to(REDIS_URL);
    const child = fork(WITHOUT_EXIT, {
      env: { PATH, ...service.environment, REDIS_URL: redis.via(REDIS_URL) },
      execArgv: [],
      silent: true,
    });
    await once(child, 'message');
    await make(redis);
    await sleep(1_000); // several attempts to connect again
    const ended = once(child, 'exit');
    const startedAt = performance.now();
    child.send('close');
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    expect(await ended).toEqual([0, null]);
    clearTimeout(timer);
    expect(performance.now() - startedAt).toBeLessThan(12_000);
    await redis.close();
  });
});
