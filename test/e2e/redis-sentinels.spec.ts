import { TemporaryRedisSentinels } from 'messaging-gateway-local-stack/redis-sentinels';
import { VirtualPhone } from 'messaging-gateway-phone';
import { RedisConfig } from '../../src/config/sections/redis.config';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { assertRedisUsable } from '../../src/infrastructure/redis/assert-redis-usable';
import { connectRedis } from '../../src/infrastructure/redis/redis-connection';
import { HealthService } from '../../src/ops/health.service';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const FAILOVER_MS = 90_000;

describe('on a Redis with sentinels', () => {
  let group: TemporaryRedisSentinels;
  /** Sends and works. */
  let here: TestService;
  /** Has the phone. */
  let there: TestService;
  let client: TestClient;
  let phone: VirtualPhone;

  beforeAll(async () => {
    group = await TemporaryRedisSentinels.start();
    const environment = { REDIS_URL: '', ...group.environment };
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
    await group.stop();
  });

  const send = () => client.send(['+4915112345678'], { deviceId: phone.deviceId });
  const delivered = (batch: string, timeoutMs?: number) =>
    eventually(
      () => client.batch(phone.deviceId, batch),
      ({ messages }) => messages.every(({ status }) => status === 'delivered'),
      timeoutMs,
    );
  /** Sends until a message is delivered at once: by a job, and over Redis to the other process. */
  const jobsRun = () =>
    eventually(
      async () =>
        delivered(await send(), 5_000).then(
          () => true,
          () => false,
        ),
      Boolean,
      FAILOVER_MS,
    );
  const redisHealth = async () => (await here.get(HealthService).read()).redis;

  // The second one finds the sentinels without the first master.
  it.each(['does not answer', 'is killed'] as const)('uses the next master soon if one %s', async (how) => {
    await jobsRun();
    const before = await group.master();
    if (how === 'is killed') await before.kill();
    else before.freeze();
    // A process that stalls meanwhile sees only the next master.
    await eventually(
      async () => (await redisHealth()).isUp && (await group.master()) === before,
      (isUnnoticed) => !isUnnoticed,
    );
    const batch = await send();
    await jobsRun();
    expect(await group.master()).not.toBe(before);
    await eventually(redisHealth, ({ isUp }) => isUp, FAILOVER_MS);
    before.thaw();
    here.clock.advance(10_000);
    for (let sweep = 0; sweep < 2; sweep += 1) await here.get(DispatchScheduler).dispatchOverdue();
    await delivered(batch);
    expect(new Set(phone.airLog.map(({ smsId }) => smsId)).size).toBe(phone.airLog.length);
  });

  it('does not start with settings that fit no sentinel, and says which', async () => {
    const { REDIS_SENTINELS: sentinels, REDIS_SENTINEL_MASTER: sentinelMaster } = group.environment;
    const check = (settings: Partial<RedisConfig>) =>
      assertRedisUsable(Object.assign(new RedisConfig(), settings));
    await expect(check({ sentinels, sentinelMaster: 'other' })).rejects.toThrow(
      /\(set by REDIS_SENTINELS\) knows a master named other \(set by REDIS_SENTINEL_MASTER\)$/,
    );
    await expect(check({ sentinels: '127.0.0.1:1', sentinelMaster })).rejects.toThrow(
      /^Cannot reach a sentinel at 127.0.0.1:1 \(set by REDIS_SENTINELS\): /,
    );
    await expect(check({ sentinels, sentinelMaster: 'redis://:wrong@mymaster' })).rejects.toThrow(
      /^Cannot reach the Redis master mymaster at 127.0.0.1:\d+ \(set by REDIS_SENTINEL_MASTER\): WRONGPASS/,
    );
    await expect(check({ url: sentinels.replace(/,.*/, '') })).rejects.toThrow(
      /^REDIS_URL names a sentinel: set/,
    );
    const config = Object.assign(new RedisConfig(), { sentinels, sentinelMaster: 'other' });
    await expect(connectRedis(config)).rejects.toThrow('No sentinel');
  });
});
