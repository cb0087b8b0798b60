import { Inject, Injectable } from '@nestjs/common';
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import type { RedisAccess } from '../../config/redis-hosts';
import { RedisConfig } from '../../config/sections/redis.config';
import { connectorToAnyNode, connectorToKey } from './cluster-connector';
import { REDIS, type RedisClient } from './redis-client';
import { reconnectWhenSilent } from './reconnect-when-silent';
import { accessOptions, sentinelOptions } from './redis-options';

interface ConnectionClass<Connection extends Redis> {
  new (url: string, options: RedisOptions): Connection;
  new (options: RedisOptions): Connection;
}

/** The server does not have the keys, or not any more: another one has. */
const HAS_MOVED = /^(?:MOVED|READONLY|CLUSTERDOWN|MASTERDOWN|UNBLOCKED)\b/;

/**
 * Opens connections for blocking commands and subscriptions, each to one server. In a cluster and behind sentinels it reconnects to
 * another one when that has the work; a command that met the change fails, as in an outage.
 */
@Injectable()
export class RedisConnections {
  constructor(
    private readonly config: RedisConfig,
    @Inject(REDIS) private readonly client: RedisClient,
  ) {}

  /** @param key one that the connection is for, in a cluster with all others of its hash slot; absent if any node will do. */
  open<Connection extends Redis>(
    Connection: ConnectionClass<Connection>,
    options: RedisOptions,
    key?: string,
  ): Connection {
    const { location } = this.config;
    if (location.kind === 'server') return new Connection(location.url, options);
    const connection = new Connection({
      ...options,
      ...(location.kind === 'sentinel'
        ? sentinelOptions(location)
        : this.clusterOptions(location.nodes.access, key)),
      reconnectOnError: ({ message }) => HAS_MOVED.test(message),
    });
    reconnectWhenSilent(connection);
    return connection;
  }

  private clusterOptions(access: RedisAccess, key: string | undefined): RedisOptions {
    const { client } = this;
    if (!(client instanceof Cluster)) throw new Error('The client of a cluster is a Cluster');
    const Connector = key === undefined ? connectorToAnyNode(client) : connectorToKey(client, key);
    return { ...accessOptions(access), Connector };
  }
}
