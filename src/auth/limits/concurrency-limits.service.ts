import { Injectable } from '@nestjs/common';
import { LimitsConfig } from '../../config/limits.config';
import type { AccountScope } from '../account-scope';
import { type ConcurrentWork, TooManyAtOnce } from './limit.errors';

/** Bounds what an account has running at the same time in this process. */
@Injectable()
export class ConcurrencyLimits {
  /** By account and kind of work; there is no entry for none. */
  private readonly running = new Map<string, number>();

  constructor(private readonly config: LimitsConfig) {}

  /**
   * Takes a place.
   * @returns gives it back; to be called once.
   * @throws TooManyAtOnce
   */
  take({ user }: AccountScope, work: ConcurrentWork): () => void {
    const key = `${work} ${user.toHexString()}`;
    const running = this.running.get(key) ?? 0;
    this.assertBelow(work, running);
    this.running.set(key, running + 1);
    return () => {
      const left = (this.running.get(key) ?? 0) - 1;
      if (left > 0) this.running.set(key, left);
      else this.running.delete(key);
    };
  }

  /**
   * For work whose number is known already.
   * @param running without the one that is about to begin.
   * @throws TooManyAtOnce
   */
  assertBelow(work: ConcurrentWork, running: number): void {
    const max = this.maxOf(work);
    if (running >= max) throw new TooManyAtOnce(work, max);
  }

  private maxOf(work: ConcurrentWork): number {
    switch (work) {
      case 'streams':
        return this.config.maxStreamsPerAccount;
      case 'webhookTests':
        return this.config.maxWebhookTestsPerAccount;
      case 'searches':
        return this.config.maxSearchesPerAccount;
      case 'replays':
        return this.config.maxReplaysPerAccount;
    }
  }
}
