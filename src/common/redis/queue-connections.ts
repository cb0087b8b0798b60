import { Injectable } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import { RedisConfig } from '../../config/redis.config';
import { BackgroundRedis } from './background-redis';
import { DISCONNECT_LIMIT_MS } from './disconnect-limit';
import { withinLimit } from './within-limit';

/** A connection that stays closed: Bull opens its own again even while it closes, and would leave it open then. */
class QueueConnection extends BackgroundRedis {
  private isEnded = false;

  override connect(callback?: (failure?: Error | null) => void): Promise<void> {
    return this.isEnded ? Promise.reject(new Error('Connection is closed.')) : super.connect(callback);
  }

  /** Resolves once nothing of it is left, whatever Redis does. */
  async endForGood(): Promise<void> {
    this.isEnded = true;
    if (this.status === 'end') return;
    const isBetweenAttempts = this.status === 'reconnecting';
    const ended = new Promise((resolve) => this.once('end', resolve));
    this.disconnect();
    // One that has ended may count as ready: when it told Redis its name, and Redis did not answer.
    if (!isBetweenAttempts) await withinLimit(ended);
  }
}

/** The connections of all queues of this process. Bull is not asked to close them: it would ask Redis first. */
@Injectable()
export class QueueConnections {
  private readonly connections: QueueConnection[] = [];
  private ending?: Promise<void>;

  constructor(private readonly config: RedisConfig) {}

  /** @param options as Bull wants them for a connection of this kind. */
  open(type: 'client' | 'subscriber' | 'bclient', options: RedisOptions = {}): Redis {
    const connection = new QueueConnection(this.config.url, {
      enableReadyCheck: options.enableReadyCheck,
      // One that closes while it tells Redis about itself would count as ready for ever, and not connect again.
      disableClientInfo: true,
      disconnectTimeout: DISCONNECT_LIMIT_MS,
      // Bull makes some of its connections late: even when the process is at its end.
      lazyConnect: this.ending !== undefined,
      ...(type === 'client' ? {} : { maxRetriesPerRequest: null }),
    });
    if (this.ending) void connection.endForGood();
    else this.connections.push(connection);
    return connection;
  }

  /** Ends them, also those Bull wants to open from now on; again it is the same end. */
  end(): Promise<void> {
    this.ending ??= Promise.all(this.connections.map((connection) => connection.endForGood())).then(
      () => undefined,
    );
    return this.ending;
  }
}
