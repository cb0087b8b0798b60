import { Cluster, Command, type Redis } from 'ioredis';

/** The connection for plain commands. A blocking command or a subscription needs its own, from `RedisConnections`. */
export const REDIS = Symbol('redis');

/**
 * One server, which may be the master of sentinels, or all nodes of a cluster. A command may touch the keys of one hash slot only,
 * and one without a key goes to any node.
 */
export type RedisClient = Redis | Cluster;

/** How long to wait for Redis to confirm a disconnect, in milliseconds; the default of ioredis is two seconds. */
export const DISCONNECT_TIMEOUT_MS = 100;

/** The address of the node that serves a key, as `host:port`. @returns undefined if no node of the cluster is known to. */
export function nodeOfKey(cluster: Cluster, key: string): string | undefined {
  return cluster.slots[new Command('get', [key]).getSlot()]?.[0];
}

/** The address of a node of the cluster, as `host:port`. */
export const addressOf = ({ options: { host = '', port = 0 } }: Redis): string => `${host}:${port}`;
