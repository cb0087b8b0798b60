import { setTimeout as sleep } from 'node:timers/promises';
import { TemporaryRedisSentinels } from 'messaging-gateway-local-stack/redis-sentinels';
import type { RedisFault, RedisFaults } from './redis-faults';

const RECOVERY_MS = 60_000;
const CHECK_INTERVAL_MS = 100;

/** The Redis with sentinels of a run, and the faults of its master. */
export class SentinelFaults implements RedisFaults {
  readonly faults = ['Redis master', 'Redis master, frozen for a while', 'Redis failover'] as const;

  private constructor(private readonly group: TemporaryRedisSentinels) {}

  static async start(): Promise<SentinelFaults> {
    return new SentinelFaults(await TemporaryRedisSentinels.start());
  }

  get environment() {
    return this.group.environment;
  }

  async inject(fault: RedisFault, downMs: number): Promise<void> {
    const master = await this.group.master();
    switch (fault) {
      case 'Redis master':
        await master.kill();
        await sleep(downMs);
        await master.start();
        break;
      case 'Redis master, frozen for a while':
        master.freeze();
        await sleep(downMs);
        master.thaw();
        break;
      case 'Redis failover':
        await this.group.failOver();
        break;
      case 'Redis slots moved':
        throw new Error('A Redis with sentinels has no slots');
    }
    const start = performance.now();
    while (!(await this.group.isWhole())) {
      if (performance.now() - start > RECOVERY_MS)
        throw new Error(`The Redis with sentinels did not recover from: ${fault}`);
      await sleep(CHECK_INTERVAL_MS);
    }
  }

  stop(): Promise<void> {
    return this.group.stop();
  }
}
