import { randomUUID } from 'node:crypto';
import { TemporaryRedisCluster } from 'messaging-gateway-local-stack/redis-cluster';
import { VirtualPhone } from 'messaging-gateway-phone';
import request from 'supertest';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { assertRedisUsable } from '../../src/infrastructure/redis/assert-redis-usable';
import { connectRedis } from '../../src/infrastructure/redis/redis-connection';
import { type RateLimiter, RateLimiterFactory } from '../../src/infrastructure/redis/rate-limiter';
import { ProcessRegistry } from '../../src/ops/operations/process-registry.service';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { fastestRunMs } from '../support/fastest-run';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';
import { WEBHOOK_SECRET } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const FAILOVER_MS = 90_000;

describe('on a Redis Cluster', () => {
  let cluster: TemporaryRedisCluster;
  /** Sends and works. */
  let here: TestService;
  /** Has the streams. */
  let there: TestService;
  let client: TestClient;
  let phone: VirtualPhone;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    cluster = await TemporaryRedisCluster.start();
    receiver = await WebhookReceiver.start();
    const environment = {
      REDIS_URL: '',
      REDIS_CLUSTER_NODES: cluster.hosts,
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    };
    here = await TestService.start({ environment });
    there = await TestService.start({ shared: here, environment: { ...environment, APP_ROLES: 'api' } });
    // Schedulers would do the work of jobs that do not run.
    here.stopTimers();
    client = await here.newAccount();
    phone = new VirtualPhone({
      baseUrl: there.url,
      apiKey: client.apiKey,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
  });
  afterAll(async () => {
    await phone.stop();
    await there.stop();
    await here.stop();
    await receiver.stop();
    await cluster.stop();
  });

  const send = () => client.send(['+4915112345678'], { deviceId: phone.deviceId });
  const delivered = (batch: string, timeoutMs?: number) =>
    eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) => messages.every(({ status }) => status === 'delivered'),
      timeoutMs,
    );
  const ready = async (service: TestService) => {
    const answer = await request(service.url).get('/health/ready');
    return { status: answer.status, redis: (answer.body as { redis: string }).redis };
  };
  const prefix = () => here.environment.REDIS_PREFIX ?? '';
  const masterOfQueue = (queue: string) => cluster.masterOf(`{${prefix()}:${queue}}`);
  /** Sends until a message is delivered by jobs alone, at once. */
  const jobsRun = () =>
    eventually(
      async () => {
        const batch = await send();
        return delivered(batch, 5_000).then(
          () => true,
          () => false,
        );
      },
      Boolean,
      FAILOVER_MS,
    );
  const limiters = (scope: string): RateLimiter[] =>
    [here, there].map((service) => service.get(RateLimiterFactory).create({ scope, max: 2, windowS: 60 }));

  /** Of so many subjects on all nodes. */
  async function countedTogether(subjects: number): Promise<number> {
    const [one, other] = limiters(`test-${randomUUID()}`);
    let together = 0;
    for (let subject = 0; subject < subjects; subject += 1) {
      for (const limiter of [one, other]) await limiter?.consume(String(subject));
      if ((await one?.consume(String(subject)))?.isExceeded) together += 1;
    }
    return together;
  }

  it('sends by jobs to a phone on another process, reports to a webhook, and hints at the change', async () => {
    for (const service of [here, there])
      await eventually(
        () => ready(service),
        ({ status: readiness }) => readiness === 200,
      );
    const { status } = await client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: WEBHOOK_SECRET,
      events: ['MESSAGE_DELIVERED'],
    });
    expect(status).toBe(201);
    const events = await RawStream.openEvents(there.url, { 'x-api-key': client.apiKey });
    await eventually(
      () => events.eventsOf('ready'),
      (all) => all.length === 1,
    );
    expect(events.eventsOf('ready')).toEqual([{ live: true }]);
    const { messages } = await delivered(await send());
    await eventually(
      () => receiver.received,
      (received) => received.some(({ event }) => event.smsId === messages[0]?._id),
    );
    await eventually(
      () => JSON.stringify(events.eventsOf('message')),
      (hints) => hints.includes(messages[0]?._id ?? 'none'),
    );
    events.close();
  });

  it('counts limits for all processes, closes the streams of a session that ends, and lists the processes', async () => {
    // A node that answers too late is not asked for some seconds.
    await eventually(
      () => countedTogether(10),
      (together) => together === 10,
    );
    const session = await here.signIn(client);
    const stream = await RawStream.openEvents(there.url, {
      authorization: `Bearer ${session.accessToken ?? ''}`,
    });
    expect((await session.delete('/auth/session')).status).toBeLessThan(300);
    await eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );
    const listed = await eventually(
      async () => {
        await here.get(ProcessRegistry).announce(); // Its timers are stopped.
        return here.get(ProcessRegistry).list();
      },
      (processes) => processes?.length === 2,
    );
    expect(listed?.map(({ roles }) => roles.length).sort()).toEqual([1, 3]);
  });

  it.each(['is killed', 'does not answer'] as const)(
    'accepts sends while the master of the jobs %s, loses none, and uses the replica soon',
    async (how) => {
      await eventually(() => cluster.isWhole(), Boolean, FAILOVER_MS);
      const master = await masterOfQueue('dispatch');
      if (how === 'is killed') await master.kill();
      else master.freeze();
      const batches: string[] = [];
      expect(await fastestRunMs(1, async () => batches.push(await send()))).toBeLessThan(10_000);
      // Only the first requests wait a second for the node.
      expect(await fastestRunMs(5, async () => batches.push(await send()))).toBeLessThan(1_000);
      // What the other nodes have is not affected: two processes still count together. On a busy machine one of these may answer too late.
      let counted = 0;
      for (let attempt = 0; attempt < 3 && counted <= 8; attempt += 1) counted = await countedTogether(30);
      expect(counted).toBeGreaterThan(8);
      await jobsRun();
      if (how === 'is killed') await master.start();
      else master.thaw();
      here.clock.advance(10_000);
      await here.get(DispatchScheduler).dispatchOverdue();
      await here.get(DispatchScheduler).dispatchOverdue();
      await there.get(PhoneStreamService).redeliver();
      for (const batch of batches) await delivered(batch);
      expect(new Set(phone.airLog.map(({ smsId }) => smsId)).size).toBe(phone.airLog.length);
      await eventually(
        () => ready(here),
        ({ status }) => status === 200,
        FAILOVER_MS,
      );
    },
  );

  it('continues when the slot of its jobs moves to another node', async () => {
    await eventually(() => cluster.isWhole(), Boolean, FAILOVER_MS);
    const before = await masterOfQueue('dispatch');
    await cluster.moveSlotOf(`{${prefix()}:dispatch}`);
    expect(await masterOfQueue('dispatch')).not.toBe(before);
    await jobsRun();
  });

  describe('that cannot be used', () => {
    const check = (settings: Partial<RedisConfig>) =>
      assertRedisUsable(Object.assign(new RedisConfig(), settings));

    it('is refused as a single server, and a single server as a cluster, in one sentence', async () => {
      const { REDIS_URL = '' } = process.env;
      const [node] = cluster.nodes;
      const url = `redis://:${cluster.password}@${node?.address ?? ''}`;
      await expect(check({ url })).rejects.toThrow(
        /^REDIS_URL names a node of a Redis Cluster: set REDIS_CLUSTER_NODES/,
      );
      await expect(check({ clusterNodes: REDIS_URL })).rejects.toThrow(
        /\(set by REDIS_CLUSTER_NODES\) is not part of a Redis Cluster: set REDIS_URL instead$/,
      );
      await expect(check({ clusterNodes: '127.0.0.1:1,127.0.0.1:2' })).rejects.toThrow(
        /^Cannot reach a node of the Redis Cluster at 127.0.0.1:1, 127.0.0.1:2 \(set by REDIS_CLUSTER_NODES\): /,
      );
    });

    it('is refused while it is down, and makes the service not ready', async () => {
      const masters = await cluster.withRole('master');
      for (const node of cluster.nodes) if (node !== masters[0]) await node.kill();
      await eventually(
        () => ready(here),
        ({ redis }) => redis.includes('cluster_state is fail'),
        FAILOVER_MS,
      );
      await expect(check({ clusterNodes: cluster.hosts })).rejects.toThrow(
        /\(set by REDIS_CLUSTER_NODES\) is down: cluster_state is fail, and \d+ of 16384 slots are served; /,
      );
      const config = Object.assign(new RedisConfig(), { clusterNodes: cluster.hosts });
      await expect(connectRedis(config)).rejects.toThrow('is down');
    });
  });
});
