import { setTimeout as sleep } from 'node:timers/promises';
import { TemporaryRedisCluster } from 'messaging-gateway-local-stack/redis-cluster';
import type { TemporaryRedis } from 'messaging-gateway-local-stack/temporary-redis';

export const CLUSTER_FAULTS = [
  'Redis master',
  'Redis master, frozen for a while',
  'Redis failover',
  'Redis slots moved',
] as const;
export type ClusterFault = (typeof CLUSTER_FAULTS)[number];

export const isClusterFault = (name: string): name is ClusterFault =>
  CLUSTER_FAULTS.some((fault) => fault === name);

/** Longer than a node may be delayed on a busy machine. */
const NODE_TIMEOUT_MS = 2_000;
const RECOVERY_MS = 60_000;
/** Longer than failover and synchronization take. */
const REPAIR_AFTER_MS = 15_000;
const CHECK_INTERVAL_MS = 100;
/** Of one move of slots. */
const MAX_MOVED_KEYS = 20;

/** The Redis Cluster of a run, and its faults, at one node after the other. */
export class ClusterFaults {
  private turn = 0;

  private constructor(readonly cluster: TemporaryRedisCluster) {}

  static async start(): Promise<ClusterFaults> {
    return new ClusterFaults(await TemporaryRedisCluster.start({ nodeTimeoutMs: NODE_TIMEOUT_MS }));
  }

  /** Resolves when the cluster is whole again. @throws Error if it does not recover. */
  async inject(fault: ClusterFault, downMs: number): Promise<void> {
    const node = await this.pick(fault === 'Redis failover' ? 'slave' : 'master');
    switch (fault) {
      case 'Redis master':
        await node.kill();
        await sleep(downMs);
        await node.start();
        break;
      case 'Redis master, frozen for a while':
        node.freeze();
        await sleep(downMs);
        node.thaw();
        break;
      case 'Redis failover':
        await node.call('CLUSTER', 'FAILOVER');
        break;
      case 'Redis slots moved':
        await this.moveSlots(node);
    }
    const start = performance.now();
    while (!(await this.cluster.isWhole())) {
      const waitedMs = performance.now() - start;
      if (waitedMs > RECOVERY_MS) throw new Error(`The Redis Cluster did not recover from: ${fault}`);
      if (waitedMs > REPAIR_AFTER_MS) await this.cluster.repair().catch(() => undefined);
      await sleep(CHECK_INTERVAL_MS);
    }
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
