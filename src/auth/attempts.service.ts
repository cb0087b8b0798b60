import { Injectable } from '@nestjs/common';
import { type Counter, WindowCounters } from '../common/redis/window-counters';
import { ATTEMPT_LIMITS, ATTEMPT_WINDOW_S, AttemptKind } from './attempt-limits';
import { TooManyAttempts } from './auth.errors';

/** Somebody trying something. */
export interface Attempt {
  readonly kind: AttemptKind;
  /** Whom it is about, by any name the asker uses: it need not exist. */
  readonly account: string;
  /** Where it comes from. */
  readonly address: string;
}

interface AttemptCounter extends Counter {
  readonly most: number;
}

/** Slows guessing down, by account and by address. Without Redis nothing is slowed. */
@Injectable()
export class AttemptsService {
  constructor(private readonly counters: WindowCounters) {}

  /**
   * Counts an attempt before it is made, so that many at once are as slow as one after the other.
   * @throws TooManyAttempts
   */
  async count(attempt: Attempt): Promise<void> {
    const counters = countersOf(attempt);
    const counted = (await this.counters.count(counters, ATTEMPT_WINDOW_S * 1_000)) ?? [];
    const over = counted.filter(({ count }, index) => count > (counters[index]?.most ?? 0));
    if (over.length > 0) {
      const msLeft = Math.max(...over.map((counter) => counter.msLeft));
      throw new TooManyAttempts(Math.max(1, Math.ceil(msLeft / 1_000)));
    }
  }

  /** Takes an attempt back that was none: it succeeded. */
  async forgive(attempt: Attempt): Promise<void> {
    await this.counters.takeBack(countersOf(attempt));
  }
}

function countersOf({ kind, account, address }: Attempt): AttemptCounter[] {
  const { pair, account: byAccount, address: byAddress } = ATTEMPT_LIMITS[kind];
  const counter = (of: string, subject: string, most: number) => ({
    scope: `attempts:${kind}:${of}`,
    subject,
    most,
  });
  return [
    counter('pair', `${account}\n${address}`, pair),
    counter('account', account, byAccount),
    counter('address', address, byAddress),
  ];
}
