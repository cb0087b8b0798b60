import { Injectable } from '@nestjs/common';
import { LimitsConfig } from '../../config/sections/limits.config';
import type { AccountScope } from '../account-scope';
import { MAX_LARGE_BODIES } from './large-body-limiter.service';
import { InFlightCounter } from './in-flight-counter';
import { type LimitedOperation, ConcurrencyLimited } from './limit.errors';

/** The setting with the limit of each operation, or a fixed limit. */
const LIMITS = {
  streams: 'maxStreamsPerAccount',
  eventStreams: 'maxEventStreamsPerAccount',
  webhookTests: 'maxWebhookTestsPerAccount',
  searches: 'maxSearchesPerAccount',
  lists: 'maxListsPerAccount',
  replays: 'maxReplaysPerAccount',
  exports: 'maxExportsPerAccount',
  accountExports: 1,
  largeBodies: MAX_LARGE_BODIES,
} as const satisfies Record<Exclude<LimitedOperation, 'requests'>, keyof LimitsConfig | number>;

/** Limits the concurrent operations of an account in this process. */
@Injectable()
export class ConcurrencyLimiter {
  private readonly running = new InFlightCounter();

  constructor(private readonly config: LimitsConfig) {}

  /**
   * @returns releases the slot; call it once.
   * @throws ConcurrencyLimited
   */
  acquire({ user }: AccountScope, operation: keyof typeof LIMITS): () => void {
    const key = `${operation} ${user.toHexString()}`;
    this.assertBelow(operation, this.running.countOf(key));
    return this.running.add(key);
  }

  /**
   * For callers that count their operations themselves.
   * @param running without the operation that is about to start.
   * @throws ConcurrencyLimited
   */
  assertBelow(operation: keyof typeof LIMITS, running: number): void {
    const limit = LIMITS[operation];
    const max = typeof limit === 'number' ? limit : this.config[limit];
    if (running >= max) throw new ConcurrencyLimited(operation, max);
  }
}
