import Redis from 'ioredis';

/** A job that is due for longer than this, and has not been taken, is left lying. */
const LATE_JOB_MS = 5_000;

/** What a run has left in Redis. */
export interface RedisLeft {
  readonly keys: number;
  /** Jobs that wait for their time: wake-ups for attempts whose deliveries have been made meanwhile. */
  readonly jobsToCome: number;
  /** Jobs that nobody has taken, that have not ended, or that ended and stayed. */
  readonly jobsLeft: readonly string[];
  /** What is neither a job nor a job's. */
  readonly others: readonly string[];
}

/** What stands in Redis under the prefix of a run. */
export class RedisView {
  private readonly redis: Redis;

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.redis = new Redis(url);
  }

  async left(): Promise<RedisLeft> {
    const keys = await this.keys();
    const jobs = new Set<string>();
    const toCome = new Set<string>();
    const others: string[] = [];
    for (const key of keys) {
      const [queue, part, ...rest] = key.slice(this.prefix.length + 1).split(':');
      if (part !== undefined && /^[0-9a-f]{24}(-|$)/.test(part)) {
        if (rest.length === 0) jobs.add(`${String(queue)}:${part}`);
      } else if (part === 'delayed') {
        for (const id of await this.notDue(key)) toCome.add(`${String(queue)}:${id}`);
      } else {
        others.push(key);
      }
    }
    return {
      keys: keys.length,
      jobsToCome: toCome.size,
      jobsLeft: [...jobs].filter((job) => !toCome.has(job)),
      others,
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

  /** Bull keeps the time of a delayed job, in milliseconds, above 12 bits that count jobs of one millisecond. */
  private notDue(key: string): Promise<string[]> {
    return this.redis.zrangebyscore(key, (Date.now() - LATE_JOB_MS) * 0x1000, '+inf');
  }
}
