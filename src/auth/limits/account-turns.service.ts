import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { KeyedQueue } from '../../common/keyed-queue';
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimited } from './limit.errors';

/** Requests of one account that a process handles at the same time, unless it is slowed for other accounts. */
const MAX_AT_ONCE = 3;

/** An account is active for this time after a request. */
const ACTIVE_MS = SECOND_MS;

/** A request that takes longer, such as a slow search, holds up no others of its account after this time. */
const MAX_TURN_MS = SECOND_MS / 2;

const MAX_WAITING = 100;

/** How much longer than its share of a part long work rests after it: a third of a process is left to it while others are active. */
const REST_PER_PART = 2;

interface Account {
  running: number;
  readonly waiting: (() => void)[];
}

interface Activity {
  readonly account: string;
  readonly at: number;
}

/**
 * Queues the requests of each account, first in, first out. While another account is active, they come one at a time, and each waits for
 * as long as the one before it took: so they leave half of the process to the others. Beside an account with more than three in progress,
 * one with up to three is not slowed: the requests of a program that calls steadily would wait for each other. An account is active in this
 * process by its requests, not by its jobs.
 */
@Injectable()
export class AccountTurns {
  private readonly accounts = new Map<string, Account>();
  private readonly longWork = new KeyedQueue();
  private latest: Activity | undefined;
  /** The latest activity of any other account. */
  private latestOther: Activity | undefined;

  /** Notes a request of an account, also one that takes no turn. */
  noteActive({ user }: AccountScope): void {
    const activity = { account: user.toHexString(), at: performance.now() };
    if (this.latest?.account !== activity.account) this.latestOther = this.latest;
    this.latest = activity;
  }

  /**
   * Waits for the turn of a request.
   * @returns ends it.
   * @throws ConcurrencyLimited
   */
  async begin({ user }: AccountScope): Promise<() => void> {
    const key = user.toHexString();
    const account = this.accounts.get(key) ?? { running: 0, waiting: [] };
    this.accounts.set(key, account);
    if (account.running < this.maxAtOnce(key, inProgress(account) + 1)) account.running += 1;
    else {
      if (account.waiting.length >= MAX_WAITING) throw new ConcurrencyLimited('requests', MAX_WAITING);
      await new Promise<void>((resolve) => account.waiting.push(resolve));
    }
    const startedAt = performance.now();
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      const next = () => {
        this.beginNext(key, account);
      };
      if (account.waiting.length > 0 && this.isSlowed(key, inProgress(account)))
        setTimeout(next, performance.now() - startedAt);
      else next();
    };
    const timer = setTimeout(end, MAX_TURN_MS).unref();
    return end;
  }

  /**
   * For work that takes long, in parts: while another account is active, the parts of an account, of whatever work, come one at a time, each
   * after a rest twice as long as its share of the time that the one before took: accounts with long work share that time.
   * @returns does a part.
   */
  parts({ user }: AccountScope): <Result>(work: () => Promise<Result>) => Promise<Result> {
    const key = user.toHexString();
    return (work) => {
      if (!this.isOtherActive(key)) return work();
      return new Promise((resolve, reject) => {
        void this.longWork.run(key, async () => {
          const startedAt = performance.now();
          await work().then(resolve, reject);
          const shareMs = (performance.now() - startedAt) / this.longWork.size;
          if (this.isOtherActive(key)) await sleep(Math.min(REST_PER_PART * shareMs, MAX_TURN_MS));
        });
      });
    };
  }

  private beginNext(key: string, account: Account): void {
    account.running -= 1;
    while (account.running < this.maxAtOnce(key, inProgress(account))) {
      const next = account.waiting.shift();
      if (!next) break;
      account.running += 1;
      next();
    }
    if (account.running === 0) this.accounts.delete(key);
  }

  private maxAtOnce(key: string, inProgressCount: number): number {
    return this.isSlowed(key, inProgressCount) ? 1 : MAX_AT_ONCE;
  }

  private isSlowed(key: string, inProgressCount: number): boolean {
    return this.isOtherActive(key) && (inProgressCount > MAX_AT_ONCE || !this.isAnyHeavy());
  }

  private isAnyHeavy(): boolean {
    for (const account of this.accounts.values()) if (inProgress(account) > MAX_AT_ONCE) return true;
    return false;
  }

  private isOtherActive(key: string): boolean {
    const other = this.latest?.account === key ? this.latestOther : this.latest;
    return other !== undefined && performance.now() - other.at < ACTIVE_MS;
  }
}

const inProgress = ({ running, waiting }: Account): number => running + waiting.length;
