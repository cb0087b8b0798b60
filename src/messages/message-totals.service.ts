import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { ShortMemory } from '../common/short-memory';
import { MessageListRepository } from './message-list.repository';
import type { MessageFilter } from './message-query';

/** By this age a message is where it stays in the list: a send is stored in far less, and clocks differ by less. */
const SETTLED_MS = 20_000;

/** How far the settled may reach behind that, until those that settled since are counted and added. */
const STEP_MS = 10_000;

/** How long a count is added to, before it is made anew: old messages are removed from it meanwhile. */
const REMEMBERED_MS = 60_000;

/** Counts one process remembers. */
const ROOM = 10_000;

interface SettledCount {
  readonly before: Date;
  readonly count: number;
  /** When it is made anew, in ms of `performance.now()`. */
  readonly until: number;
}

/**
 * How many messages a list has. Counting is all that grows with what is stored, and nearly all of it never changes: the
 * settled ones are counted once a minute, and only what came since with every page. What changes about settled messages
 * is that old ones are removed, which a total may learn a minute late.
 */
@Injectable()
export class MessageTotals {
  private readonly settled = new ShortMemory<SettledCount>(ROOM);

  constructor(
    private readonly messages: MessageListRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws SearchTooSlow */
  async count(account: AccountScope, filter: MessageFilter): Promise<number> {
    const place = placeOf(account, filter);
    if (place === undefined) return this.messages.count(account, filter);
    const known = this.settled.get(place);
    const settledAt = this.clock.now().getTime() - SETTLED_MS;
    if (known && settledAt - known.before.getTime() < STEP_MS) {
      return known.count + (await this.messages.count(account, { ...filter, from: known.before }));
    }
    const before = new Date(settledAt);
    const [settledSince, later] = await Promise.all([
      this.messages.count(account, { ...filter, ...(known && { from: known.before }), to: before }),
      this.messages.count(account, { ...filter, from: before }),
    ]);
    const count = (known?.count ?? 0) + settledSince;
    const until = known?.until ?? performance.now() + REMEMBERED_MS;
    this.settled.set(place, { before, count, until }, until - performance.now());
    return count + later;
  }
}

/** Which list it is; undefined where messages come and go in it, as their status does, or it is small anyway. */
function placeOf({ user }: AccountScope, filter: MessageFilter): string | undefined {
  const { devices = [], direction = 'all', ...narrowed } = filter;
  if (Object.values<unknown>(narrowed).some((value) => value !== undefined)) return undefined;
  return [user.toHexString(), direction, ...devices.map((id) => id.toHexString()).sort()].join(' ');
}
