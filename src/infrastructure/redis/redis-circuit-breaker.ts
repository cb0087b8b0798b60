import { Inject, Injectable } from '@nestjs/common';
import { Cluster } from 'ioredis';
import { Circuit } from './circuit';
import { addressOf, nodeOfKey, REDIS, type RedisClient } from './redis-client';

/** How long a command may take, in milliseconds. */
export const REDIS_TIMEOUT_MS = Symbol('Redis timeout');

/** The only server, and the slots that no node of a cluster serves. */
const NO_NODE = '';

/** Circuits of nodes that have left the cluster are dropped with all others when there are more. */
const MAX_CIRCUITS = 1_000;

/**
 * Runs Redis commands that the caller can do without. Each node of a cluster has a circuit of its own, so that one that does not
 * answer costs the keys of the others nothing; otherwise there is one for all commands.
 */
@Injectable()
export class RedisCircuitBreaker {
  private readonly circuits = new Map<string, Circuit>();

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(REDIS_TIMEOUT_MS) private readonly timeoutMs: number,
  ) {}

  /** Defines a Lua command, which ioredis runs by its hash. */
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): void {
    this.redis.defineCommand(name, definition);
  }

  /** Whether Redis, or a node of the cluster, did not answer in time, and has not answered since. */
  get isOpen(): boolean {
    const nodes = this.redis instanceof Cluster ? this.redis.nodes('master').map(addressOf) : [NO_NODE];
    return nodes.some((node) => this.circuits.get(node)?.isOpen);
  }

  /**
   * Runs a command on the keys of one hash slot.
   * @param key any of them.
   * @returns undefined when Redis fails, does not answer in time, or the circuit is open. Never throws.
   */
  run<T>(key: string, command: (redis: RedisClient) => Promise<T>): Promise<T | undefined> {
    const node = this.redis instanceof Cluster ? nodeOfKey(this.redis, key) : undefined;
    return this.circuitOf(node).run(() => command(this.redis));
  }

  /** @param node the address of a node of the cluster. */
  circuitOf(node = NO_NODE): Circuit {
    const known = this.circuits.get(node);
    if (known) return known;
    if (this.circuits.size >= MAX_CIRCUITS) this.circuits.clear();
    const circuit = new Circuit(this.timeoutMs);
    this.circuits.set(node, circuit);
    return circuit;
  }
}
