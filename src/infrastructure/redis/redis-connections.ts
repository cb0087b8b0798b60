import { Inject, Injectable } from '@nestjs/common';
import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import { RedisConfig } from '../../config/sections/redis.config';
import { type ClusterConnector, connectorToAnyNode, connectorToKey } from './cluster-connector';
import { followData, reconnect } from './reconnect';
import { REDIS, type RedisClient } from './redis-client';
import { accessOptions, sentinelOptions } from './redis-options';

interface ConnectionClass<Connection extends Redis> {
  new (url: string, options: RedisOptions): Connection;
  new (options: RedisOptions): Connection;
}

/**
 * Opens connections for blocking commands and subscriptions, each to one server. In a cluster and behind sentinels a connection follows
 * its data to the server that takes over.
 */
@Injectable()
export class RedisConnections {
  /** Those to nodes of a cluster. */
  private readonly placed: { readonly connection: Redis; readonly connector: ClusterConnector }[] = [];

  constructor(
    private readonly config: RedisConfig,
    @Inject(REDIS) private readonly client: RedisClient,
  ) {
    if (!(client instanceof Cluster)) return;
    // Emitted when it was read which node serves what.
    client.on('refresh', () => {
      for (const { connection, connector } of this.placed) if (connector.isMisplaced()) reconnect(connection);
    });
  }

  /**
   * For the life of the process.
   * @param key one that the connection is for, in a cluster with all others of its hash slot; absent if any node will do.
   * @param isBlocking whether it is for blocking commands.
   */
  open<Connection extends Redis>(
    Connection: ConnectionClass<Connection>,
    options: RedisOptions,
    { key, isBlocking }: { readonly key?: string; readonly isBlocking?: boolean } = {},
  ): Connection {
    const { client, config } = this;
    const { location } = config;
    if (location.kind === 'server') return new Connection(location.url, options);
    const connector =
      client instanceof Cluster
        ? key === undefined
          ? connectorToAnyNode(client)
          : connectorToKey(client, key)
        : undefined;
    const place =
      location.kind === 'sentinel'
        ? sentinelOptions(location)
        : { ...accessOptions(location.nodes.access), Connector: connector?.Connector };
    const connection = followData(
      (following) => new Connection({ ...options, ...place, ...following }),
      isBlocking,
    );
    if (connector) this.placed.push({ connection, connector });
    return connection;
  }
}
