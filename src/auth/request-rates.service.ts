import { Injectable } from '@nestjs/common';
import { OptionalRedis } from '../common/redis/optional-redis';
import { type RateLimit, RateLimits } from '../common/redis/rate-limits';
import { ShortMemory } from '../common/short-memory';
import { HttpConfig } from '../config/http.config';
import { RedisConfig } from '../config/redis.config';
import type { AuthenticatedAccount } from './account-scope';
import { RateLimited } from './auth.errors';

const WINDOW_S = 60;

/** How long a credential that opened an account is known to have done so: among all processes, and to one of them. */
const FAMILIAR_S = 7 * 24 * 3_600;
const FAMILIAR_HERE_MS = 12 * 3_600_000;

/** Credentials and addresses one process remembers. */
const ROOM = 20_000;

/** A request that is yet to be authenticated. */
export interface Visit {
  /** The hash of the key or token it shows. */
  readonly credential: string | undefined;
  readonly address: string;
  /** Whether it is counted against no key. */
  readonly isExempt: boolean;
}

/** What is counted, and whose. */
interface Bucket {
  readonly limit: RateLimit;
  readonly subject: string;
}

interface Refusal {
  readonly error: RateLimited;
  readonly msLeft: number;
}

/**
 * Limits the requests of each key, and of each address that shows no valid one. Only the outcome of a count is
 * remembered here: until its window ends, what is over its limit is refused without asking Redis or the database.
 *
 * Many customers can share one address. Where an address is over its limit, a credential that has opened an account
 * lately is let through all the same, and only those nobody knows are refused unread: one customer's broken program does
 * not lock the others out, and whoever tries keys does not reach the database. A credential that is refused is forgotten.
 *
 * While Redis is away each process counts by itself, and knows only the credentials it has seen.
 */
@Injectable()
export class RequestRates {
  /** What is over its limit. */
  private readonly closed = new ShortMemory<RateLimited>(ROOM);
  private readonly familiar = new ShortMemory<true>(ROOM);
  private readonly ofKeys: RateLimit;
  private readonly ofDashboards: RateLimit;
  private readonly ofAddresses: RateLimit;

  constructor(
    private readonly config: HttpConfig,
    limits: RateLimits,
    private readonly redis: OptionalRedis,
    private readonly redisConfig: RedisConfig,
  ) {
    const { rateLimitPerKey, rateLimitPerAddress } = config;
    this.ofKeys = limits.create({ scope: 'rates:key', max: rateLimitPerKey, windowS: WINDOW_S });
    this.ofDashboards = limits.create({ scope: 'rates:dashboards', max: rateLimitPerKey, windowS: WINDOW_S });
    this.ofAddresses = limits.create({ scope: 'rates:address', max: rateLimitPerAddress, windowS: WINDOW_S });
  }

  /** Asked before the credential is looked at. @throws RateLimited */
  async admit({ credential, address, isExempt }: Visit): Promise<void> {
    const overRate = credential !== undefined && !isExempt && this.closed.get(ofCredential(credential));
    if (overRate) throw overRate;
    const closedAddress = this.closed.get(ofAddress(address));
    if (!closedAddress) return;
    if (credential === undefined || !(await this.isFamiliar(credential))) throw closedAddress;
  }

  /** The credential opened the account. @throws RateLimited */
  async countUse({ credential, isExempt }: Visit, account: AuthenticatedAccount): Promise<void> {
    if (credential === undefined) return;
    this.remember(credential);
    const { rateLimitPerKey: max } = this.config;
    if (isExempt || max === 0) return;
    const refusal = await this.countOne(this.bucketOf(account), { max, kind: 'with this key' });
    if (refusal) throw this.close(ofCredential(credential), refusal);
  }

  /** The credential opened nothing, or there was none. @throws RateLimited */
  async countRefusal({ credential, address }: Visit): Promise<void> {
    const { rateLimitPerAddress: max } = this.config;
    if (max === 0) return;
    const bucket = { limit: this.ofAddresses, subject: address };
    const [refusal] = await Promise.all([
      this.countOne(bucket, { max, kind: 'without a valid API key' }),
      credential !== undefined && this.forget(credential),
    ]);
    if (refusal) throw this.close(ofAddress(address), refusal);
  }

  private async countOne(
    { limit, subject }: Bucket,
    { max, kind }: { readonly max: number; readonly kind: string },
  ): Promise<Refusal | undefined> {
    const { isOver, msLeft } = await limit.count(subject);
    if (!isOver) return undefined;
    return { error: new RateLimited(kind, max, performance.now() + msLeft), msLeft };
  }

  /** Refuses all that comes from there until the window ends. */
  private close(place: string, { error, msLeft }: Refusal): RateLimited {
    this.closed.set(place, error, msLeft);
    return error;
  }

  private bucketOf({ user, credential }: AuthenticatedAccount): Bucket {
    switch (credential.kind) {
      case 'api-key':
        return { limit: this.ofKeys, subject: credential.id.toHexString() };
      case 'session':
        return { limit: this.ofDashboards, subject: user.toHexString() };
    }
  }

  private async isFamiliar(credential: string): Promise<boolean> {
    if (this.familiar.get(credential)) return true;
    const found = await this.redis.ask((redis) => redis.exists(this.markOf(credential)));
    if (found === 1) this.familiar.set(credential, true, FAMILIAR_HERE_MS);
    return found === 1;
  }

  private remember(credential: string): void {
    if (this.config.rateLimitPerAddress === 0 || this.familiar.get(credential)) return;
    this.familiar.set(credential, true, FAMILIAR_HERE_MS);
    // Nobody waits for this.
    void this.redis.ask((redis) => redis.set(this.markOf(credential), 1, 'EX', FAMILIAR_S));
  }

  private async forget(credential: string): Promise<void> {
    this.familiar.delete(credential);
    await this.redis.ask((redis) => redis.del(this.markOf(credential)));
  }

  private markOf(credential: string): string {
    return `${this.redisConfig.prefix}:familiar:${credential}`;
  }
}

const ofCredential = (credential: string): string => `credential ${credential}`;
const ofAddress = (address: string): string => `address ${address}`;
