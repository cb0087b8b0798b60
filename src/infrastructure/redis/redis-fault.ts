import { Cluster } from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { clusterFault, readClusterInfo } from './cluster-info';
import type { RedisClient } from './redis-client';

const SILENT = 'does not answer within a second';

/** Takes at most about a second and never throws. @returns why Redis cannot be used, without addresses; undefined if it can. */
export async function findRedisFault(redis: RedisClient): Promise<string | undefined> {
  if (!(redis instanceof Cluster))
    return (await tryWithTimeout(redis.ping())) === 'PONG' ? undefined : SILENT;
  const answers = await Promise.all(
    redis.nodes('master').map((node) => tryWithTimeout(readClusterInfo(node))),
  );
  const nodes = answers.filter((answer) => answer !== undefined);
  return nodes.length === 0 ? SILENT : clusterFault(nodes);
}
