import { TemporaryRedisCluster } from 'messaging-gateway-local-stack/redis-cluster';
import type { TemporaryRedis } from 'messaging-gateway-local-stack/temporary-redis';
import { REDIS_FAULTS, untilRecovered, type RedisFault, type RedisFaults } from './redis-faults';

/** Longer than a node may be delayed on a busy machine. */
const NODE_TIMEOUT_MS = 2_000;
/** Longer than failover and synchronization take. */
const REPAIR_AFTER_MS = 15_000;
/** Of one move of slots. */
const MAX_MOVED_KEYS = 20;

/** The Redis Cluster of a run, and its faults, at one node after the other. */
export class ClusterFaults implements RedisFaults {
  readonly faults = REDIS_FAULTS;
  private turn = 0;

  private constructor(private readonly cluster: TemporaryRedisCluster) {}

  static async start(): Promise<ClusterFaults> {
    return new ClusterFaults(await TemporaryRedisCluster.start({ nodeTimeoutMs: NODE_TIMEOUT_MS }));
  }

  get environment() {
    return { REDIS_CLUSTER_NODES: this.cluster.hosts };
  }

  async inject(fault: RedisFault, downMs: number): Promise<void> {
    const node = await this.pick(fault === 'Redis failover' ? 'slave' : 'master');
    switch (fault) {
      case 'Redis master':
        await node.killFor(downMs);
        break;
      case 'Redis master, frozen for a while':
        await node.freezeFor(downMs);
        break;
      case 'Redis failover':
        await node.call('CLUSTER', 'FAILOVER');
        break;
      case 'Redis slots moved':
        await this.moveSlots(node);
    }
    const start = performance.now();
    await untilRecovered(fault, async () => {
      if (await this.cluster.isWhole()) return true;
      if (performance.now() - start > REPAIR_AFTER_MS) await this.cluster.repair().catch(() => undefined);
      return false;
    });
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /** Moves the slots of the queues, and of some other keys, that a master has. */
  private async moveSlots(master: TemporaryRedis): Promise<void> {
    const keys = ((await master.call('KEYS', '*')) as string[]).sort();
    const tags = keys.map((key) => /^\{[^}]*\}/.exec(key)?.[0] ?? key);
    for (const key of [...new Set(tags)].slice(-MAX_MOVED_KEYS)) await this.cluster.moveSlotOf(key);
  }

  private async pick(role: 'master' | 'slave'): Promise<TemporaryRedis> {
    const nodes = await this.cluster.withRole(role);
    this.turn += 1;
    const node = nodes[this.turn % nodes.length];
    if (!node) throw new Error(`The Redis Cluster has no ${role}`);
    return node;
  }
}
