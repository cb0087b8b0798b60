import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './ports';
import { until } from './processes';
import { StackUnavailable } from './stack-unavailable';
import { serverSettings, TemporaryRedis } from './temporary-redis';

const MASTERS = 3;
const SLOTS = 16_384;
const START_MS = 30_000;
const MIGRATE_MS = 2_000;

interface Member {
  readonly redis: TemporaryRedis;
  readonly busPort: number;
}

/** A Redis Cluster of three masters with a replica each, on free ports and in a temporary folder. It ends with this process. */
export class TemporaryRedisCluster {
  private constructor(
    readonly nodes: readonly TemporaryRedis[],
    readonly password: string,
    private readonly folder: string,
  ) {}

  /**
   * Takes about three seconds.
   * @param nodeTimeoutMs after this time without an answer a node is taken for failed; its replica then replaces it within two seconds.
   * @throws StackUnavailable
   */
  static async start({ nodeTimeoutMs = 1_000 } = {}): Promise<TemporaryRedisCluster> {
    const folder = mkdtempSync(join(tmpdir(), 'redis-cluster-'));
    const password = randomBytes(16).toString('hex');
    const members: Member[] = [];
    for (let index = 0; index < 2 * MASTERS; index += 1) {
      const [port, busPort] = [await freePort(), await freePort()];
      const settings = [
        ...serverSettings(password),
        'cluster-enabled yes',
        `cluster-port ${busPort}`,
        `cluster-node-timeout ${nodeTimeoutMs}`,
      ];
      const redis = new TemporaryRedis({ port, folder: join(folder, String(port)), password, settings });
      members.push({ redis, busPort });
    }
    const cluster = new TemporaryRedisCluster(
      members.map(({ redis }) => redis),
      password,
      folder,
    );
    try {
      await Promise.all(cluster.nodes.map((node) => node.start()));
      await introduce(members);
      if (!(await until(() => cluster.isWhole(), START_MS)))
        throw new StackUnavailable(`The temporary Redis Cluster does not start, see ${folder}`);
    } catch (failure) {
      await cluster.stop();
      throw failure;
    }
    return cluster;
  }

  /** As `REDIS_CLUSTER_NODES` has them. */
  get hosts(): string {
    return `redis://:${this.password}@${this.nodes.map(({ address }) => address).join(',')}`;
  }

  /** Whether all nodes are up, all slots are served, and each master has a replica with its data. */
  async isWhole(): Promise<boolean> {
    const states = await Promise.all(this.nodes.map((node) => stateOf(node).catch(() => undefined)));
    // A node that was frozen takes itself for a master until it hears of its successor.
    const masters = states.filter((state) => state?.role === 'master');
    return (
      states.every((state) => state?.isUp) &&
      masters.length === MASTERS &&
      masters.every((state) => state?.hasReplica)
    );
  }

  /** The nodes that are up and say that they have this role. */
  async withRole(role: 'master' | 'slave'): Promise<TemporaryRedis[]> {
    const roles = await Promise.all(
      this.nodes.map(async (node) =>
        node.isUp ? node.field('role', 'INFO', 'replication').catch(() => undefined) : undefined,
      ),
    );
    return this.nodes.filter((_, index) => roles[index] === role);
  }

  /** The master that serves a key. @throws Error if none does. */
  async masterOf(key: string): Promise<TemporaryRedis> {
    const slot = await this.slotOf(key);
    const [asked] = await this.withRole('master');
    const ranges = (await asked?.call('CLUSTER', 'SLOTS')) as
      [number, number, [string, number]][] | undefined;
    const [, , [, port = 0] = []] = ranges?.find(([first, last]) => first <= slot && slot <= last) ?? [];
    const master = this.nodes.find((node) => node.port === port);
    if (!master) throw new Error(`No node serves the key ${key}`);
    return master;
  }

  async slotOf(key: string): Promise<number> {
    const [node] = this.nodes.filter(({ isUp }) => isUp);
    return Number(await node?.call('CLUSTER', 'KEYSLOT', key));
  }

  /** Moves the slot of a key, with all keys in it, to another master, as a resharding does. */
  async moveSlotOf(key: string): Promise<void> {
    const slot = await this.slotOf(key);
    const source = await this.masterOf(key);
    const masters = await this.withRole('master');
    const others = masters.filter((master) => master !== source);
    const target = others[slot % others.length];
    if (!target) throw new Error('There is no other master');
    const [sourceId, targetId] = (await Promise.all(
      [source, target].map((node) => node.call('CLUSTER', 'MYID')),
    )) as [string, string];
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    for (;;) {
      const keys = (await source.call('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
      if (keys.length === 0) break;
      const options = ['', 0, MIGRATE_MS, 'REPLACE', 'AUTH', this.password, 'KEYS'] as const;
      await source.call('MIGRATE', '127.0.0.1', target.port, ...options, ...keys);
    }
    for (const node of [target, source, ...masters.filter((each) => each !== source && each !== target)])
      await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
  }

  /**
   * Tells each master who serves the slots that it knows nobody for: one that was killed during a move, and became a master again, may have
   * missed it. In a real cluster its operator does so.
   */
  async repair(): Promise<void> {
    const masters = await this.withRole('master');
    const owners = await Promise.all(
      masters.map(async (node) => ownersOf(await node.call('CLUSTER', 'SLOTS'))),
    );
    const [known = new Map<number, string>()] = owners.toSorted((one, other) => other.size - one.size);
    for (const [index, node] of masters.entries())
      for (const [slot, owner] of known)
        if (!owners[index]?.has(slot)) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', owner);
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The id of the master of each slot. @param answer of CLUSTER SLOTS. */
function ownersOf(answer: unknown): Map<number, string> {
  const owners = new Map<number, string>();
  for (const [first, last, [, , id]] of answer as [number, number, [string, number, string]][])
    for (let slot = first; slot <= last; slot += 1) owners.set(slot, id);
  return owners;
}

async function stateOf(node: TemporaryRedis) {
  const [cluster, replication] = (await Promise.all([
    node.call('CLUSTER', 'INFO'),
    node.call('INFO', 'replication'),
  ])) as [string, string];
  const isUp = cluster.includes('cluster_state:ok') && cluster.includes(`cluster_slots_ok:${SLOTS}`);
  return {
    isUp,
    role: /^role:(\w+)/m.exec(replication)?.[1],
    hasReplica: replication.includes('state=online'),
  };
}

/** Makes a cluster of nodes that know nothing of each other: the first half become masters, the others their replicas. */
async function introduce(members: readonly Member[]): Promise<void> {
  const [first] = members;
  const share = Math.ceil(SLOTS / MASTERS);
  for (const [index, { redis }] of members.slice(0, MASTERS).entries()) {
    await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const last = Math.min((index + 1) * share, SLOTS) - 1;
    await redis.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
  }
  for (const { redis, busPort } of members.slice(1))
    await first?.redis.call('CLUSTER', 'MEET', '127.0.0.1', redis.port, busPort);
  for (const [index, { redis }] of members.slice(MASTERS).entries()) {
    const master = await members[index]?.redis.call('CLUSTER', 'MYID');
    // It does not know the master at once.
    const isReplica = () => redis.call('CLUSTER', 'REPLICATE', String(master)).then(Boolean, () => false);
    if (!(await until(isReplica, START_MS)))
      throw new StackUnavailable('The nodes of the temporary Redis Cluster do not meet');
  }
}
