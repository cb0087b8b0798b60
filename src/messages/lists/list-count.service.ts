import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { MessageListRepository } from './message-list.repository';
import type { MessageFilter } from './message-query';
import type { Message } from '../message.schema';

/** New messages are not older, except late uploads: storing a send takes less, and clocks differ by less. */
const STABLE_AGE_MS = 20_000;

/** A cached count is extended to the stable age after this interval. */
const RECOUNT_INTERVAL_MS = 10_000;

/** A cached count is discarded after this time, because retention removes messages from it. */
const CACHE_TTL_MS = 60_000;

const MAX_CACHE_ENTRIES = 10_000;

interface StableCount {
  readonly before: Date;
  readonly count: number;
  /** When `count` was first cached, in ms of `performance.now()`. */
  readonly cachedAt: number;
}

/**
 * Counts the messages of a list. Counting is the only part of a page whose cost grows with the stored messages, so the
 * count of older messages is cached for a minute; a total may miss late uploads and removals of that minute.
 */
@Injectable()
export class ListCountService {
  private readonly cache = new LRUCache<string, StableCount>({ max: MAX_CACHE_ENTRIES, ttl: CACHE_TTL_MS });

  constructor(
    private readonly messages: MessageListRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * @param options.newest the newest messages of the list, the newest first, or none.
   * @param options.end where the list ends before `filter.to`; at most `STABLE_AGE_MS` ago.
   * @throws SearchTooSlow
   */
  async count(
    account: AccountScope,
    filter: MessageFilter,
    { newest, end }: { readonly newest: readonly Pick<Message, 'createdAt'>[]; readonly end?: Date },
  ): Promise<number> {
    const key = cacheKey(account, filter);
    const ending = endingBefore(filter, end);
    if (key === undefined) return this.messages.count(account, ending);
    const cached = this.cache.get(key);
    const stableBefore = this.clock.now().getTime() - STABLE_AGE_MS;
    if (cached && stableBefore - cached.before.getTime() < RECOUNT_INTERVAL_MS) {
      return cached.count + (await this.countSince(account, ending, cached.before, newest));
    }
    const before = new Date(stableBefore);
    const [added, recent] = await Promise.all([
      this.messages.count(account, { ...filter, ...(cached && { from: cached.before }), to: before }),
      this.countSince(account, ending, before, newest),
    ]);
    const count = (cached?.count ?? 0) + added;
    const cachedAt = cached?.cachedAt ?? performance.now();
    this.cache.set(key, { before, count, cachedAt }, { start: cachedAt });
    return count + recent;
  }

  /** Counts the newest messages instead of querying if they include every message since `from`. */
  private countSince(
    account: AccountScope,
    filter: MessageFilter,
    from: Date,
    newest: readonly Pick<Message, 'createdAt'>[],
  ): number | Promise<number> {
    const firstOlder = newest.findIndex(({ createdAt }) => createdAt < from);
    return firstOlder === -1 ? this.messages.count(account, { ...filter, from }) : firstOlder;
  }
}

/** The messages of a filter that were created before a time. */
export const endingBefore = (filter: MessageFilter, end: Date | undefined): MessageFilter =>
  end && (!filter.to || end < filter.to) ? { ...filter, to: end } : filter;

/** Undefined for narrower filters: their counts are small, or change with the status of messages. */
function cacheKey({ user }: AccountScope, filter: MessageFilter): string | undefined {
  const { devices = [], direction = 'all', ...narrowed } = filter;
  if (Object.values<unknown>(narrowed).some((value) => value !== undefined)) return undefined;
  return [user.toHexString(), direction, ...devices.map((id) => id.toHexString()).sort()].join(' ');
}
