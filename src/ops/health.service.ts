import { Inject, Injectable } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import type Redis from 'ioredis';
import type { Connection } from 'mongoose';
import { REDIS } from '../common/redis/redis-connection';
import { withinLimit } from '../common/redis/within-limit';
import { FIREBASE_SETTINGS, PushConfig } from '../config/push.config';
import { Remembered } from './remembered';
import { QueueFiguresService } from './queue-figures.service';

/** A job that waits this long waits for workers that are not there, or too few. */
const MOST_WAITING_MS = 60_000;

/** Whoever asks more often than this is told what the last was told: anybody may ask. */
const REMEMBERED_MS = 1_000;

export interface PartHealth {
  readonly isWell: boolean;
  /** In words for the operator; holds no address. */
  readonly says: string;
}

/** The parts the service needs to do all its work. */
export type Health = Readonly<Record<'database' | 'redis' | 'queues' | 'push', PartHealth>>;

const WELL: PartHealth = { isWell: true, says: 'ok' };
const unwell = (says: string): PartHealth => ({ isWell: false, says });

/** Finds out how the parts are that the service stands on. */
@Injectable()
export class HealthService {
  private readonly health = new Remembered(REMEMBERED_MS, () => this.look());

  constructor(
    @InjectConnection() private readonly connection: Connection,
    @Inject(REDIS) private readonly redis: Redis,
    private readonly queues: QueueFiguresService,
    private readonly pushConfig: PushConfig,
  ) {}

  /** At most a second old. Never throws, and takes about a second at most. */
  read(): Promise<Health> {
    return this.health.read();
  }

  private async look(): Promise<Health> {
    const [database, redis, queues] = await Promise.all([
      withinLimit(this.pingDatabase()),
      withinLimit(this.redis.ping()),
      this.lookAtQueues(),
    ]);
    return {
      database: database ? WELL : unwell('does not answer within a second'),
      redis: redis === 'PONG' ? WELL : unwell('does not answer within a second'),
      queues,
      push: this.pushHealth(),
    };
  }

  /** Without Firebase the service does all it was set up for, so it is well; the operator is told all the same. */
  private pushHealth(): PartHealth {
    if (this.pushConfig.serviceAccount) return WELL;
    return { isWell: true, says: `streams only: ${FIREBASE_SETTINGS} are not set` };
  }

  private async pingDatabase(): Promise<boolean> {
    return Boolean(await this.connection.db?.command({ ping: 1 }));
  }

  private async lookAtQueues(): Promise<PartHealth> {
    const oldest = await this.queues.readOldest();
    if (!oldest) return unwell('cannot be asked: Redis does not answer');
    const late = oldest.filter(({ oldestMs }) => oldestMs > MOST_WAITING_MS);
    if (late.length === 0) return WELL;
    return unwell(
      late
        .map(
          ({ queue, oldestMs }) =>
            `${queue}: a job has waited ${Math.round(oldestMs / 1_000)} s for a worker`,
        )
        .join('; '),
    );
  }
}
