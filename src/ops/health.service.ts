import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type { Connection } from 'mongoose';
import { type HelloAnswer, isConfirmedByMajority } from '../infrastructure/mongo/majority';
import { REDIS, type RedisClient } from '../infrastructure/redis/redis-client';
import { findRedisFault } from '../infrastructure/redis/redis-fault';
import { tryWithTimeout } from '../common/try-with-timeout';
import { FIREBASE_SETTINGS, PushConfig } from '../config/sections/push.config';
import { MemoizedValue } from '../common/memoized-value';
import { QueueStatsService } from './queue-stats.service';

/** A longer wait means that workers are missing. */
const MAX_JOB_WAIT_MS = 60_000;

/** Bounds the checks, because the endpoint is public. */
const CACHE_TTL_MS = 1_000;

export interface ComponentHealth {
  readonly isUp: boolean;
  /** Public: must not contain addresses. */
  readonly message: string;
}

export type Health = Readonly<Record<'database' | 'redis' | 'queues' | 'push', ComponentHealth>>;

const UP: ComponentHealth = { isUp: true, message: 'ok' };
const down = (message: string): ComponentHealth => ({ isUp: false, message });

function databaseHealth(hello: HelloAnswer | undefined): ComponentHealth {
  if (!hello) return down('does not answer within a second');
  return isConfirmedByMajority(hello)
    ? UP
    : down('writes are not confirmed by a majority of the replica set');
}

@Injectable()
export class HealthService {
  private readonly health = new MemoizedValue(CACHE_TTL_MS, () => this.check());

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(REDIS) private readonly redis: RedisClient,
    private readonly queues: QueueStatsService,
    private readonly pushConfig: PushConfig,
  ) {}

  /** Cached for a second. Takes at most about a second and never throws. */
  read(): Promise<Health> {
    return this.health.read();
  }

  private async check(): Promise<Health> {
    const [hello, redis, queues] = await Promise.all([
      tryWithTimeout(this.greetDatabase()),
      findRedisFault(this.redis),
      this.checkQueues(),
    ]);
    return {
      database: databaseHealth(hello),
      redis: redis === undefined ? UP : down(redis),
      queues,
      push: this.pushHealth(),
    };
  }

  /** Up without Firebase too, because FCM is optional. */
  private pushHealth(): ComponentHealth {
    if (this.pushConfig.serviceAccount) return UP;
    return { isUp: true, message: `streams only: ${FIREBASE_SETTINGS} are not set` };
  }

  private async greetDatabase(): Promise<HelloAnswer | undefined> {
    return this.connection.db?.command({ hello: 1 });
  }

  private async checkQueues(): Promise<ComponentHealth> {
    const oldest = await this.queues.readOldest();
    if (!oldest) return down('unknown: Redis does not answer');
    const late = oldest.filter(({ oldestMs }) => oldestMs > MAX_JOB_WAIT_MS);
    if (late.length === 0) return UP;
    return down(
      late
        .map(
          ({ queue, oldestMs }) =>
            `${queue}: a job has waited ${Math.round(oldestMs / 1_000)} s for a worker`,
        )
        .join('; '),
    );
  }
}
