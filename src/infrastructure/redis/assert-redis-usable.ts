import { Redis, type RedisOptions } from 'ioredis';
import { OperatorError } from '../../common/errors';
import { formatRedisHosts, type RedisHost } from '../../config/sections/redis-hosts';
import type { RedisConfig } from '../../config/sections/redis.config';
import { unreachable } from '../../common/unreachable';
import { DISCONNECT_TIMEOUT_MS } from './redis-client';
import { clusterFault, readClusterInfo } from './cluster-info';
import { accessOptions, type ClusterLocation, type SentinelLocation } from './redis-options';

/** Redis may be loading its data. */
const ANSWER_TIMEOUT_MS = 15_000;

const OPTIONS: RedisOptions = {
  lazyConnect: true,
  connectTimeout: 4_000,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
};

/**
 * Checks, over connections of its own, that Redis answers and is what the settings say: a server, the master of sentinels, or a
 * cluster that is up.
 * @throws OperatorError that names the setting to change.
 */
export async function assertRedisUsable({ location }: RedisConfig): Promise<void> {
  switch (location.kind) {
    case 'server':
      await assertServer(location.url);
      return;
    case 'sentinel':
      await assertMaster(location);
      return;
    case 'cluster':
      await assertCluster(location);
  }
}

async function assertServer(url: string): Promise<void> {
  const mode = await ask(new Redis(url, OPTIONS), readMode).catch((failure: unknown) => {
    throw unreachable('Redis', url, 'REDIS_URL', failure);
  });
  if (mode === 'cluster')
    throw new OperatorError(
      'REDIS_URL names a node of a Redis Cluster: set REDIS_CLUSTER_NODES to its nodes, and remove REDIS_URL',
    );
  if (mode === 'sentinel')
    throw new OperatorError(
      'REDIS_URL names a sentinel: set REDIS_SENTINELS and REDIS_SENTINEL_MASTER, and remove REDIS_URL',
    );
}

async function assertMaster({ sentinels, master }: SentinelLocation): Promise<void> {
  const { name } = master;
  const hosts = formatRedisHosts(sentinels.hosts);
  const masters = await fromAny(sentinels.hosts, (host) =>
    ask(new Redis({ ...OPTIONS, ...host, ...accessOptions(sentinels.access) }), (redis) =>
      redis.call('SENTINEL', 'get-master-addr-by-name', name),
    ),
  ).catch((failure: unknown) => {
    throw unreachable('a sentinel', hosts, 'REDIS_SENTINELS', failure);
  });
  const [address] = masters.filter((answer) => Array.isArray(answer)) as [host: string, port: string][];
  if (!address)
    throw new OperatorError(
      `No sentinel at ${hosts} (set by REDIS_SENTINELS) knows a master named ${name} (set by REDIS_SENTINEL_MASTER)`,
    );
  const [host, port] = address;
  const options = {
    ...OPTIONS,
    ...accessOptions(master.access),
    host,
    port: Number(port),
    db: master.database,
  };
  await ask(new Redis(options), (redis) => redis.ping()).catch((failure: unknown) => {
    throw unreachable(`the Redis master ${name}`, `${host}:${port}`, 'REDIS_SENTINEL_MASTER', failure);
  });
}

async function assertCluster({ nodes }: ClusterLocation): Promise<void> {
  const hosts = formatRedisHosts(nodes.hosts);
  const states = await fromAny(nodes.hosts, (host) =>
    ask(new Redis({ ...OPTIONS, ...host, ...accessOptions(nodes.access) }), readClusterInfo),
  ).catch((failure: unknown) => {
    throw unreachable('a node of the Redis Cluster', hosts, 'REDIS_CLUSTER_NODES', failure);
  });
  const members = states.filter((state) => state !== undefined);
  if (members.length === 0)
    throw new OperatorError(
      `The Redis at ${hosts} (set by REDIS_CLUSTER_NODES) is not part of a Redis Cluster: set REDIS_URL instead`,
    );
  // Slots that no node serves are reported by /health/ready: the others can be used.
  if (members.every(({ state }) => state !== 'ok'))
    throw new OperatorError(
      `The Redis Cluster at ${hosts} (set by REDIS_CLUSTER_NODES) is down: ${clusterFault(members) ?? ''}; repair it and start again`,
    );
}

/** Reads `standalone`, `sentinel` or `cluster`. @returns undefined if the user may not know it. */
async function readMode(redis: Redis): Promise<string | undefined> {
  await redis.ping();
  const info = await redis.info('server').catch(() => '');
  return /^redis_mode:(\w+)/m.exec(info)?.[1];
}

/** Asks a server and closes the connection. @throws the error of the connection, or else of the question. */
async function ask<T>(redis: Redis, question: (redis: Redis) => Promise<T>): Promise<T> {
  let connectionFailure: Error | undefined;
  redis.on('error', (failure: Error) => {
    connectionFailure = failure;
  });
  const deadline = setTimeout(() => {
    connectionFailure ??= new Error('no answer');
    redis.disconnect();
  }, ANSWER_TIMEOUT_MS);
  try {
    await redis.connect();
    return await question(redis);
  } catch (failure) {
    throw connectionFailure ?? failure;
  } finally {
    clearTimeout(deadline);
    redis.disconnect();
  }
}

/** Asks all of them at once. @returns what those said that answered. @throws the error of the first if none did. */
async function fromAny<T>(
  hosts: readonly RedisHost[],
  askOne: (host: RedisHost) => Promise<T>,
): Promise<T[]> {
  const asked = await Promise.allSettled(hosts.map(askOne));
  const answers = asked.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [first] = asked;
  if (answers.length === 0 && first?.status === 'rejected') throw first.reason;
  return answers;
}
