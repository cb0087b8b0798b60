import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Injectable, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { SECOND_MS } from '../../common/durations';
import { VERSION } from '../../common/version';
import { RedisConfig } from '../../config/sections/redis.config';
import { type Role, RolesConfig } from '../../config/sections/roles.config';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import type { RedisClient } from '../../infrastructure/redis/redis-client';

const ANNOUNCE_INTERVAL_MS = 10 * SECOND_MS;

/** A process that has not announced itself for this long has died. */
const TIMEOUT_S = 30;

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

/** As scripts, because only the server with the key has the clock by which its scores were set. In milliseconds, as ever. */
const SCRIPTS = {
  announceProcess: `
    local now = redis.call('TIME')[1]
    redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, (now - ARGV[1]) * 1000)
    redis.call('ZADD', KEYS[1], now * 1000, ARGV[2])`,
  listProcesses: `
    local now = redis.call('TIME')[1]
    return redis.call('ZRANGEBYSCORE', KEYS[1], (now - ARGV[1]) * 1000, '+inf', 'LIMIT', 0, ARGV[2])`,
} as const;

type ClientWithScripts = RedisClient & {
  announceProcess(key: string, timeoutS: number, member: string): Promise<unknown>;
  listProcesses(key: string, timeoutS: number, max: number): Promise<string[]>;
};

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
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 1, lua });
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
    this.lastAnnouncement = this.redis.run(this.key, (redis) =>
      (redis as ClientWithScripts).announceProcess(this.key, TIMEOUT_S, this.member),
    );
    await this.lastAnnouncement;
  }

  /** The processes that run, those that started first. @returns undefined while Redis does not answer. */
  async list(): Promise<RunningProcess[] | undefined> {
    const members = await this.redis.run(this.key, (redis) =>
      (redis as ClientWithScripts).listProcesses(this.key, TIMEOUT_S, MAX_LISTED),
    );
    return members
      ?.map((member) => JSON.parse(member) as RunningProcess)
      .sort((one, other) => one.startedAt.localeCompare(other.startedAt));
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    // An announcement that is not finished would add the process again.
    await this.lastAnnouncement;
    await this.redis.run(this.key, (redis) => redis.zrem(this.key, this.member));
  }
}
