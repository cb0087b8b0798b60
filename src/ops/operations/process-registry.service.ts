import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type Redis from 'ioredis';
import { SECOND_MS } from '../../common/durations';
import { VERSION } from '../../common/version';
import { RedisConfig } from '../../config/sections/redis.config';
import { type Role, RolesConfig } from '../../config/sections/roles.config';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';

const ANNOUNCE_INTERVAL_MS = 10 * SECOND_MS;

/** A process that has not announced itself for this long has died. */
const TIMEOUT_MS = 30 * SECOND_MS;

const MAX_LISTED = 1_000;

export interface RunningProcess {
  /** Random, new at each start. */
  readonly id: string;
  /** The name of its host or container. */
  readonly host: string;
  readonly roles: readonly Role[];
  readonly version: string;
  readonly nodeVersion: string;
  /** ISO 8601, by the clock of its host. */
  readonly startedAt: string;
}

/**
 * The processes of the installation. Each announces itself in Redis: a sorted set by the time of the last announcement, by the
 * clock of Redis. One that shuts down removes itself.
 */
@Injectable()
export class ProcessRegistry implements OnApplicationBootstrap, OnModuleDestroy {
  readonly self: RunningProcess;
  private readonly key: string;
  private readonly member: string;
  private isStopping = false;
  private lastAnnouncement: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly redis: RedisCircuitBreaker,
    { roles }: RolesConfig,
    { prefix }: RedisConfig,
  ) {
    this.key = `${prefix}:processes`;
    this.self = {
      id: randomUUID(),
      host: hostname(),
      roles,
      version: VERSION,
      nodeVersion: process.version,
      startedAt: new Date(Date.now() - process.uptime() * SECOND_MS).toISOString(),
    };
    this.member = JSON.stringify(this.self);
  }

  onApplicationBootstrap(): void {
    void this.announce();
  }

  @Interval(ANNOUNCE_INTERVAL_MS)
  async announce(): Promise<void> {
    // An admin command has no role, and ends soon.
    if (this.isStopping || this.self.roles.length === 0) return;
    this.lastAnnouncement = this.redis.run(async (redis) => {
      const now = await nowOf(redis);
      await redis
        .multi()
        .zremrangebyscore(this.key, 0, now - TIMEOUT_MS)
        .zadd(this.key, now, this.member)
        .exec();
    });
    await this.lastAnnouncement;
  }

  /** The processes that run, those that started first. @returns undefined while Redis does not answer. */
  async list(): Promise<RunningProcess[] | undefined> {
    const members = await this.redis.run(async (redis) =>
      redis.zrangebyscore(this.key, (await nowOf(redis)) - TIMEOUT_MS, '+inf', 'LIMIT', 0, MAX_LISTED),
    );
    return members
      ?.map((member) => JSON.parse(member) as RunningProcess)
      .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    // An announcement that is not finished would add the process again.
    await this.lastAnnouncement;
    await this.redis.run((redis) => redis.zrem(this.key, this.member));
  }
}

/** The time of Redis, in milliseconds. */
async function nowOf(redis: Redis): Promise<number> {
  const [seconds] = await redis.time();
  return Number(seconds) * SECOND_MS;
}
