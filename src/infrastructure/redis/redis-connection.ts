import { Logger } from '@nestjs/common';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { tryWithTimeout } from '../../common/try-with-timeout';
import type { RedisConfig, RedisLocation } from '../../config/sections/redis.config';
import { assertRedisUsable } from './assert-redis-usable';
import { DISCONNECT_TIMEOUT_MS, type RedisClient } from './redis-client';
import { followData } from './reconnect';
import { accessOptions, type ClusterLocation, sentinelOptions } from './redis-options';

/** How often it is read which node of a cluster serves what: a node that does not answer says nothing of its successor. */
const SLOTS_REFRESH_INTERVAL_MS = 5 * SECOND_MS;

const CLUSTER_TIMEOUT_MS = 10 * SECOND_MS;
const NODE_REPORT_INTERVAL_MS = MINUTE_MS;

/** Every caller can continue without Redis. */
const OPTIONS: RedisOptions = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  lazyConnect: true,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
};

/**
 * Opens the connection for plain commands. Later, commands fail immediately while the connection is lost; in a cluster, within two
 * seconds while their node is.
 * @throws OperatorError or Error when the first connection fails. Then nothing stays open.
 */
export async function connectRedis(config: RedisConfig): Promise<RedisClient> {
  const { location } = config;
  // The libraries search for sentinels and for a cluster without end.
  if (location.kind !== 'server') await assertRedisUsable(config);
  const redis = create(location);
  reportOutages(redis);
  try {
    if (redis instanceof Cluster) await connectCluster(redis);
    else await redis.connect();
  } catch (failure) {
    redis.disconnect();
    throw failure;
  }
  return redis;
}

function create(location: RedisLocation): RedisClient {
  switch (location.kind) {
    case 'server':
      return new Redis(location.url, OPTIONS);
    case 'sentinel':
      return followData((following) => new Redis({ ...sentinelOptions(location), ...OPTIONS, ...following }));
    case 'cluster':
      return createCluster(location);
  }
}

/** A cluster that goes down meanwhile would be waited for without end. */
async function connectCluster(cluster: Cluster): Promise<void> {
  const isConnected = await tryWithTimeout(
    cluster.connect().then(() => true),
    CLUSTER_TIMEOUT_MS,
  );
  if (!isConnected) throw new Error('The Redis Cluster did not become ready');
}

function createCluster({ nodes }: ClusterLocation): Cluster {
  return new Cluster([...nodes.hosts], {
    enableOfflineQueue: false,
    lazyConnect: true,
    slotsRefreshInterval: SLOTS_REFRESH_INTERVAL_MS,
    // Certificates have names, and nodes announce addresses.
    dnsLookup: (address, callback) => {
      callback(null, address);
    },
    redisOptions: {
      ...accessOptions(nodes.access),
      maxRetriesPerRequest: 0,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
    },
  });
}

/** Logs the start and the end of an outage, not every reconnect attempt. */
function reportOutages(redis: RedisClient): void {
  const logger = new Logger('Redis');
  let isLost = false;
  redis.on('error', (failure: Error) => {
    if (!isLost)
      logger.error(
        `Redis is unreachable; schedulers do the work of jobs, 5 to 10 s late (scheduled campaigns 20 s), until it is back: ${failure.message}`,
      );
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) logger.log('Redis is back');
    isLost = false;
  });
  if (redis instanceof Cluster) reportLostNodes(redis, logger);
}

/** The other nodes of the cluster go on, so that nobody would notice. */
function reportLostNodes(cluster: Cluster, logger: Logger): void {
  const reportedAt = new Map<string, number>();
  cluster.on('node error', (failure: Error, node: string) => {
    const now = performance.now();
    if (now - (reportedAt.get(node) ?? -Infinity) < NODE_REPORT_INTERVAL_MS) return;
    reportedAt.set(node, now);
    logger.error(`The node ${node} of the Redis Cluster is unreachable: ${failure.message}`);
  });
}
