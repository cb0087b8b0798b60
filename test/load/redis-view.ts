import Redis from 'ioredis';

/** Jobs overdue by more than this count as leftovers. */
const LATE_JOB_MS = 5_000;

/** Keys and jobs in Redis after a run. */
export interface RedisLeftovers {
  readonly keys: number;
  /** Delayed jobs of attempts that were made by a replay. */
  readonly scheduledJobs: number;
  /** Jobs that were not taken, not finished or not removed. */
  readonly leftoverJobs: readonly string[];
  /** Keys that do not belong to a job. */
  readonly otherKeys: readonly string[];
}

/** Reads the keys under the prefix of a run. */
export class RedisView {
  private readonly redis: Redis;

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.redis = new Redis(url);
  }

  async findLeftovers(): Promise<RedisLeftovers> {
    const keys = await this.keys();
    const jobs = new Set<string>();
    const scheduled = new Set<string>();
    const otherKeys: string[] = [];
    for (const key of keys) {
      const [queue, part, ...rest] = key.slice(this.prefix.length + 1).split(':');
      if (part !== undefined && /^[0-9a-f]{24}(-|$)/.test(part)) {
        if (rest.length === 0) jobs.add(`${String(queue)}:${part}`);
      } else if (part === 'delayed') {
        for (const id of await this.findScheduledJobs(key)) scheduled.add(`${String(queue)}:${id}`);
      } else {
        otherKeys.push(key);
      }
    }
    return {
      keys: keys.length,
      scheduledJobs: scheduled.size,
      leftoverJobs: [...jobs].filter((job) => !scheduled.has(job)),
      otherKeys,
    };
  }

  close(): void {
    this.redis.disconnect();
  }

  private async keys(): Promise<string[]> {
    const found = new Set<string>();
    let cursor = '0';
    do {
      const [next, keys] = await this.redis.scan(cursor, 'MATCH', `${this.prefix}*`, 'COUNT', 1_000);
      for (const key of keys) found.add(key);
      cursor = next;
    } while (cursor !== '0');
    return [...found].sort();
  }

  /** Bull stores the time of a delayed job in milliseconds, shifted left by 12 bits. */
  private findScheduledJobs(key: string): Promise<string[]> {
    return this.redis.zrangebyscore(key, (Date.now() - LATE_JOB_MS) * 0x1000, '+inf');
  }
}
