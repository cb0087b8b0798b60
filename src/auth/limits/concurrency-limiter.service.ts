import { Injectable } from '@nestjs/common';
import { LimitsConfig } from '../../config/sections/limits.config';
import type { AccountScope } from '../account-scope';
import { type ConcurrentWork, ConcurrencyLimited } from './limit.errors';

/** Limits the concurrent operations of an account in this process. */
@Injectable()
export class ConcurrencyLimiter {
  private readonly running = new Map<string, number>();

  constructor(private readonly config: LimitsConfig) {}

  /**
   * @returns releases the slot; call it once.
   * @throws ConcurrencyLimited
   */
  acquire({ user }: AccountScope, work: ConcurrentWork): () => void {
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
   * For callers that count their operations themselves.
   * @param running without the operation that is about to start.
   * @throws ConcurrencyLimited
   */
  assertBelow(work: ConcurrentWork, running: number): void {
    const max = this.maxOf(work);
    if (running >= max) throw new ConcurrencyLimited(work, max);
  }

  private maxOf(work: ConcurrentWork): number {
    switch (work) {
      case 'streams':
        return this.config.maxStreamsPerAccount;
      case 'webhookTests':
        return this.config.maxWebhookTestsPerAccount;
      case 'searches':
        return this.config.maxSearchesPerAccount;
      case 'lists':
        return this.config.maxListsPerAccount;
      case 'replays':
        return this.config.maxReplaysPerAccount;
    }
  }
}
