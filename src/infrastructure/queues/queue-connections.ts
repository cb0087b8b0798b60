import { Injectable } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import { BullConnection } from '../patches/bull-connection';
import { DISCONNECT_TIMEOUT_MS } from '../redis/redis-client';
import { RedisConnections } from '../redis/redis-connections';

/** Opens the Redis connections of all queues of this process, and closes them without asking Redis. */
@Injectable()
export class QueueConnections {
  private readonly connections: BullConnection[] = [];
  private closing?: Promise<void>;

  constructor(private readonly redis: RedisConnections) {}

  /**
   * Bull's `createClient`.
   * @param prefix of all keys of the queue. It has a hash tag, so that one node of a cluster has the whole queue: the connections of a queue
   *   are to that node, with what Bull expects of a connection to one server.
   */
  open(prefix: string, type: 'client' | 'subscriber' | 'bclient', options: RedisOptions = {}): Redis {
    const connectionOptions: RedisOptions = {
      enableReadyCheck: options.enableReadyCheck,
      // A connection that closes during CLIENT SETINFO stays `ready` and never reconnects (ioredis 5.11):
      // https://github.com/redis/ioredis/issues/2099
      disableClientInfo: true,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      // Bull can open a connection during the shutdown.
      lazyConnect: this.closing !== undefined,
      ...(type === 'client' ? {} : { maxRetriesPerRequest: null }),
    };
    const connection = this.redis.open(BullConnection, connectionOptions, {
      key: prefix,
      isBlocking: type === 'bclient',
    });
    if (this.closing) void connection.closePermanently();
    else this.connections.push(connection);
    return connection;
  }

  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  /** Closes all connections, including those that Bull opens later. Repeated calls share one close. */
  close(): Promise<void> {
    this.closing ??= Promise.all(this.connections.map((connection) => connection.closePermanently())).then(
      () => undefined,
    );
    return this.closing;
  }
}
