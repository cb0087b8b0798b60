import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimited } from './limit.errors';

/** Requests of one account that a process handles at the same time. More of them would hold the event loop together. */
const MAX_AT_ONCE = 3;

const MAX_WAITING = 100;

interface Account {
  running: number;
  readonly waiting: (() => void)[];
}

/** The requests of each account, first in, first out, so that those of one account do not delay the others. */
@Injectable()
export class AccountTurns {
  private readonly accounts = new Map<string, Account>();

  /**
   * Waits for the turn of a request.
   * @returns ends it; call it once.
   * @throws ConcurrencyLimited
   */
  async begin({ user }: AccountScope): Promise<() => void> {
    const key = user.toHexString();
    const account = this.accounts.get(key) ?? { running: 0, waiting: [] };
    this.accounts.set(key, account);
    if (account.running < MAX_AT_ONCE) account.running += 1;
    else {
      if (account.waiting.length >= MAX_WAITING) throw new ConcurrencyLimited('requests', MAX_WAITING);
      await new Promise<void>((resolve) => account.waiting.push(resolve));
    }
    return () => {
      const next = account.waiting.shift();
      // The next request takes over the turn of this one.
      if (next) {
        next();
        return;
      }
      account.running -= 1;
      if (account.running === 0) this.accounts.delete(key);
    };
  }
}
