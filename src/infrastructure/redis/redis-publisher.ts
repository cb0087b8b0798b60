import { Inject, Injectable } from '@nestjs/common';
import { Cluster } from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { addressOf, REDIS, type RedisClient } from './redis-client';
import { RedisCircuitBreaker } from './redis-circuit-breaker';

/** A node that takes longer to fail was waited for; another one would add its own time. */
const MAX_SEARCH_MS = 500;

/**
 * Publishes to all processes. A message may be lost, and nobody knows who has received it: a node of a cluster passes it on to the
 * others, and counts its own subscribers only.
 */
@Injectable()
export class RedisPublisher {
  private turn = 0;

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly breaker: RedisCircuitBreaker,
  ) {}

  /** Takes about a second at most, and no time while Redis does not answer. @returns whether Redis has taken it. Never throws. */
  publish(channel: string, message: string): Promise<boolean> {
    const { redis } = this;
    if (redis instanceof Cluster) return this.publishInCluster(redis, channel, message);
    return isTaken(this.breaker.run(channel, () => redis.publish(channel, message)));
  }

  /** As `publish`, but a single Redis that does not answer gets it too: it passes the message on once it responds. */
  publishPatiently(channel: string, message: string): Promise<boolean> {
    const { redis } = this;
    if (redis instanceof Cluster) return this.publishInCluster(redis, channel, message);
    return isTaken(tryWithTimeout(redis.publish(channel, message)));
  }

  /** By the masters in turn. One that fails at once, or whose circuit is open, is passed over. */
  private async publishInCluster(cluster: Cluster, channel: string, message: string): Promise<boolean> {
    const masters = cluster.nodes('master');
    const first = (this.turn += 1) % Math.max(1, masters.length);
    const started = performance.now();
    for (const node of [...masters.slice(first), ...masters.slice(0, first)]) {
      const circuit = this.breaker.circuitOf(addressOf(node));
      if (await isTaken(circuit.run(() => node.publish(channel, message)))) return true;
      if (performance.now() - started > MAX_SEARCH_MS) return false;
    }
    return false;
  }
}

async function isTaken(publishing: Promise<number | undefined>): Promise<boolean> {
  return (await publishing) !== undefined;
}
