import { Injectable } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import { RedisConfig } from '../../config/sections/redis.config';
import { BullConnection } from '../patches/bull-connection';
import { DISCONNECT_TIMEOUT_MS } from '../redis/redis-connection';

/** Opens the Redis connections of all queues of this process, and closes them without asking Redis. */
@Injectable()
export class QueueConnections {
  private readonly connections: BullConnection[] = [];
  private closing?: Promise<void>;

  constructor(private readonly config: RedisConfig) {}

  /** Bull's `createClient`. */
  open(type: 'client' | 'subscriber' | 'bclient', options: RedisOptions = {}): Redis {
    const connection = new BullConnection(this.config.url, {
      enableReadyCheck: options.enableReadyCheck,
      // A connection that closes during CLIENT SETINFO stays `ready` and never reconnects (ioredis 5.11):
      // https://github.com/redis/ioredis/issues/2099
      disableClientInfo: true,
      disconnectTimeout: DISCONNECT_TIMEOUT_MS,
      // Bull can open a connection during the shutdown.
      lazyConnect: this.closing !== undefined,
      ...(type === 'client' ? {} : { maxRetriesPerRequest: null }),
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
