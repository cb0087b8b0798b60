import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../common/durations';
import { RedisCircuitBreaker } from '../../infrastructure/redis/redis-circuit-breaker';
import { type RateLimiter, RateLimiterFactory } from '../../infrastructure/redis/rate-limiter';
import { HttpConfig } from '../../config/sections/http.config';
import { RedisConfig } from '../../config/sections/redis.config';
import type { AuthenticatedAccount } from '../account-scope';
import { RateLimited } from './limit.errors';

const WINDOW_S = 60;

/** How long a credential counts as known after it authenticated a request: in Redis, and in the cache of a process. */
const KNOWN_CREDENTIAL_TTL_S = (7 * DAY_MS) / SECOND_MS;
const KNOWN_CREDENTIAL_CACHE_TTL_MS = 12 * HOUR_MS;

/** Reads the clock at each access, because the default would start a timer in each millisecond with a request. */
const CACHE_OPTIONS = { max: 20_000, ttlResolution: 0 };

/** A request before authentication. */
export interface RateLimitedRequest {
  /** The hash of its API key or session token. */
  readonly credentialHash: string | undefined;
  readonly address: string;
  /** Whether the request counts neither for its key nor for the sessions of its account. */
  readonly isExempt: boolean;
}

interface Counter {
  readonly limit: RateLimiter;
  readonly subject: string;
  /** Completes "More than 100 requests a minute" in the error. */
  readonly label: string;
}

interface LimitExceeded {
  readonly error: RateLimited;
  readonly msLeft: number;
}

/**
 * Limits the requests of each API key, of all sessions of an account together, and the unauthenticated requests of each
 * address. Each process caches which credentials and addresses are over their limit, and refuses these without a call to
 * Redis or the database until the window ends.
 *
 * Many customers can share one address. When an address is over its limit, requests with a known credential (one that
 * authenticated a request recently) still pass, so one broken program does not lock out the others. Unknown credentials are
 * refused before they are looked up. Without Redis each process counts alone and knows only the credentials it has seen.
 */
@Injectable()
export class RequestRateLimiter {
  private readonly exceeded = new LRUCache<string, RateLimited>(CACHE_OPTIONS);
  private readonly knownCredentials = new LRUCache<string, true>({
    ...CACHE_OPTIONS,
    ttl: KNOWN_CREDENTIAL_CACHE_TTL_MS,
  });
  private readonly perKey: RateLimiter;
  private readonly perAccountSessions: RateLimiter;
  private readonly perAddress: RateLimiter;

  constructor(
    private readonly config: HttpConfig,
    limits: RateLimiterFactory,
    private readonly redis: RedisCircuitBreaker,
    private readonly redisConfig: RedisConfig,
  ) {
    const { rateLimitPerKey, rateLimitPerAddress } = config;
    this.perKey = limits.create({ scope: 'rates:key', max: rateLimitPerKey, windowS: WINDOW_S });
    this.perAccountSessions = limits.create({
      // Sessions are used by dashboards.
      scope: 'rates:dashboards',
      max: rateLimitPerKey,
      windowS: WINDOW_S,
    });
    this.perAddress = limits.create({ scope: 'rates:address', max: rateLimitPerAddress, windowS: WINDOW_S });
  }

  /** Checks the limits before the credential is looked up. @throws RateLimited */
  async assertAllowed({ credentialHash, address, isExempt }: RateLimitedRequest): Promise<void> {
    const ofCredential =
      credentialHash !== undefined && !isExempt && this.exceeded.get(credentialCacheKey(credentialHash));
    if (ofCredential) throw ofCredential;
    const ofAddress = this.exceeded.get(addressCacheKey(address));
    if (!ofAddress) return;
    if (credentialHash === undefined || !(await this.isKnown(credentialHash))) throw ofAddress;
  }

  /** Counts a request whose credential is valid. @throws RateLimited */
  async countAuthenticated(
    { credentialHash, isExempt }: RateLimitedRequest,
    account: AuthenticatedAccount,
  ): Promise<void> {
    if (credentialHash === undefined) return;
    this.addKnown(credentialHash);
    const { rateLimitPerKey: max } = this.config;
    if (isExempt || max === 0) return;
    const exceeded = await this.count(this.counterOf(account), max);
    if (exceeded) throw this.cacheExceeded(credentialCacheKey(credentialHash), exceeded);
  }

  /** Counts a request without a valid credential. @throws RateLimited */
  async countUnauthenticated({ credentialHash, address }: RateLimitedRequest): Promise<void> {
    const { rateLimitPerAddress: max } = this.config;
    if (max === 0) return;
    const counter = { limit: this.perAddress, subject: address, label: 'without a valid API key' };
    const [exceeded] = await Promise.all([
      this.count(counter, max),
      credentialHash !== undefined && this.removeKnown(credentialHash),
    ]);
    if (exceeded) throw this.cacheExceeded(addressCacheKey(address), exceeded);
  }

  /** Removes these credentials from the known ones in Redis. */
  async removeAllKnown(credentialHashes: readonly string[]): Promise<void> {
    const keys = credentialHashes.map((hash) => this.redisKeyOf(hash));
    await Promise.all(keys.map((key) => this.redis.run(key, (redis) => redis.del(key))));
  }

  private async count({ limit, subject, label }: Counter, max: number): Promise<LimitExceeded | undefined> {
    const { isExceeded, msLeft } = await limit.consume(subject);
    if (!isExceeded) return undefined;
    return { error: new RateLimited(label, max, performance.now() + msLeft), msLeft };
  }

  private cacheExceeded(cacheKey: string, { error, msLeft }: LimitExceeded): RateLimited {
    // lru-cache never expires an entry whose ttl is 0.
    this.exceeded.set(cacheKey, error, { ttl: Math.max(1, msLeft) });
    return error;
  }

  private counterOf({ user, credential }: AuthenticatedAccount): Counter {
    switch (credential.kind) {
      case 'api-key':
        return { limit: this.perKey, subject: credential.id.toHexString(), label: 'with this key' };
      case 'session':
        return {
          limit: this.perAccountSessions,
          subject: user.toHexString(),
          label: 'from the sessions of this account',
        };
      case 'device-token':
        return { limit: this.perKey, subject: credential.id.toHexString(), label: 'with this token' };
    }
  }

  private async isKnown(credentialHash: string): Promise<boolean> {
    if (this.knownCredentials.get(credentialHash)) return true;
    const key = this.redisKeyOf(credentialHash);
    const found = await this.redis.run(key, (redis) => redis.exists(key));
    if (found === 1) this.knownCredentials.set(credentialHash, true);
    return found === 1;
  }

  private addKnown(credentialHash: string): void {
    if (this.config.rateLimitPerAddress === 0 || this.knownCredentials.get(credentialHash)) return;
    this.knownCredentials.set(credentialHash, true);
    const key = this.redisKeyOf(credentialHash);
    void this.redis.run(key, (redis) => redis.set(key, 1, 'EX', KNOWN_CREDENTIAL_TTL_S));
  }

  private async removeKnown(credentialHash: string): Promise<void> {
    this.knownCredentials.delete(credentialHash);
    const key = this.redisKeyOf(credentialHash);
    await this.redis.run(key, (redis) => redis.del(key));
  }

  private redisKeyOf(credentialHash: string): string {
    return `${this.redisConfig.prefix}:known-credential:${credentialHash}`;
  }
}

const credentialCacheKey = (hash: string): string => `credential ${hash}`;
const addressCacheKey = (address: string): string => `address ${address}`;
