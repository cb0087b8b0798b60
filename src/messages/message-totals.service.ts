import { Injectable } from '@nestjs/common';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { ShortMemory } from '../common/short-memory';
import { MessageListRepository } from './message-list.repository';
import type { MessageFilter } from './message-query';

/** By this age a message is where it stays in the list: a send is stored in less. */
const SETTLED_MS = 60_000;

/** How long a count of settled messages is used. */
const REMEMBERED_MS = 60_000;

/** Counts one process remembers. */
const ROOM = 10_000;

interface SettledCount {
  readonly before: Date;
  readonly count: number;
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
    if (known) return known.count + (await this.messages.count(account, { ...filter, from: known.before }));
    const before = new Date(this.clock.now().getTime() - SETTLED_MS);
    const [count, later] = await Promise.all([
      this.messages.count(account, { ...filter, to: before }),
      this.messages.count(account, { ...filter, from: before }),
    ]);
    this.settled.set(place, { before, count }, REMEMBERED_MS);
    return count + later;
  }
}

/** Which list it is; undefined where messages come and go in it, as their status does, or it is small anyway. */
function placeOf({ user }: AccountScope, filter: MessageFilter): string | undefined {
  const { devices = [], direction = 'all', from, to, search, status, smsBatch } = filter;
  if ((from ?? to ?? search ?? status ?? smsBatch) !== undefined) return undefined;
  return [user.toHexString(), direction, ...devices.map((id) => id.toHexString()).sort()].join(' ');
}
