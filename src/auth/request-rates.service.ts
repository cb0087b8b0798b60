import { Injectable } from '@nestjs/common';
import { OptionalRedis } from '../common/redis/optional-redis';
import { type Counter, WindowCounters } from '../common/redis/window-counters';
import { ShortMemory } from '../common/short-memory';
import { HttpConfig } from '../config/http.config';
import { RedisConfig } from '../config/redis.config';
import type { AuthenticatedAccount } from './account-scope';
import { RateLimited } from './auth.errors';

const WINDOW_MS = 60_000;

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

/**
 * Limits the requests of each key, and of each address that shows no valid one. Only the outcome of a count is
 * remembered here: until its window ends, what is over its limit is refused without asking Redis or the database.
 *
 * Many customers can share one address. Where an address is over its limit, a credential that has opened an account
 * lately is let through all the same, and only those nobody knows are refused unread: one customer's broken program does
 * not lock the others out, and whoever tries keys does not reach the database. A credential that is refused is forgotten.
 *
 * Without Redis nothing is limited.
 */
@Injectable()
export class RequestRates {
  /** What is over its limit. */
  private readonly closed = new ShortMemory<RateLimited>(ROOM);
  private readonly familiar = new ShortMemory<true>(ROOM);

  constructor(
    private readonly config: HttpConfig,
    private readonly counters: WindowCounters,
    private readonly redis: OptionalRedis,
    private readonly redisConfig: RedisConfig,
  ) {}

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
    const { rateLimitPerKey: most } = this.config;
    if (isExempt || most === 0) return;
    await this.count(bucketOf(account), most, ofCredential(credential), 'with this key');
  }

  /** The credential opened nothing, or there was none. @throws RateLimited */
  async countRefusal({ credential, address }: Visit): Promise<void> {
    const { rateLimitPerAddress: most } = this.config;
    if (most === 0) return;
    const counter = { scope: 'rates:address', subject: address };
    await Promise.all([
      credential !== undefined && this.forget(credential),
      this.count(counter, most, ofAddress(address), 'without a valid API key'),
    ]);
  }

  private async count(counter: Counter, most: number, place: string, kind: string): Promise<void> {
    const [counted] = (await this.counters.count([counter], WINDOW_MS)) ?? [];
    if (!counted || counted.count <= most) return;
    const refusal = new RateLimited(kind, most, performance.now() + counted.msLeft);
    this.closed.set(place, refusal, counted.msLeft);
    throw refusal;
  }

  private async isFamiliar(credential: string): Promise<boolean> {
    if (this.familiar.get(credential)) return true;
    const found = await this.redis.ask((redis) => redis.exists(this.markOf(credential)));
    if (found === 1) this.familiar.set(credential, true, FAMILIAR_HERE_MS);
    return found !== 0;
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

function bucketOf({ user, credential }: AuthenticatedAccount): Counter {
  switch (credential.kind) {
    case 'api-key':
      return { scope: 'rates:key', subject: credential.id.toHexString() };
    case 'session':
      return { scope: 'rates:dashboards', subject: user.toHexString() };
  }
}
