import { TemporaryRedisSentinels } from 'messaging-gateway-local-stack/redis-sentinels';
import { untilRecovered, type RedisFault, type RedisFaults } from './redis-faults';

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
        await master.killFor(downMs);
        break;
      case 'Redis master, frozen for a while':
        await master.freezeFor(downMs);
        break;
      case 'Redis failover':
        await this.group.failOver();
        break;
      case 'Redis slots moved':
        throw new Error('A Redis with sentinels has no slots');
    }
    await untilRecovered(fault, () => this.group.isWhole());
  }

  stop(): Promise<void> {
    return this.group.stop();
  }
}
