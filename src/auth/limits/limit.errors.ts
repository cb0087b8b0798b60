import { AppError } from '../../common/errors';

const LABELS = {
  streams: 'open streams (MAX_STREAMS_PER_ACCOUNT)',
  eventStreams: 'open event streams (MAX_EVENT_STREAMS_PER_ACCOUNT)',
  webhookTests: 'webhook tests at the same time (MAX_WEBHOOK_TESTS_PER_ACCOUNT)',
  searches: 'searches at the same time (MAX_SEARCHES_PER_ACCOUNT)',
  lists: 'lists and batches read at the same time (MAX_LISTS_PER_ACCOUNT)',
  replays: 'webhook replays at the same time (MAX_REPLAYS_PER_ACCOUNT)',
  exports: 'exports of messages at the same time (MAX_EXPORTS_PER_ACCOUNT)',
  accountExports: 'export of the account at the same time',
  requests: 'requests that wait for others',
  largeBodies: 'requests with a body of more than 64 KB at the same time',
} as const;
export type LimitedOperation = keyof typeof LABELS;

export class ConcurrencyLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'CONCURRENCY_LIMITED';

  constructor(
    private readonly operation: LimitedOperation,
    max: number,
  ) {
    super(`An account can have at most ${max} ${LABELS[operation]}; wait until one of them ends, then retry`);
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': this.operation === 'streams' || this.operation === 'eventStreams' ? '15' : '1' };
  }
}

export class TooManyAttempts extends AppError {
  readonly kind = 'limited';
  readonly code = 'TOO_MANY_ATTEMPTS';

  constructor(private readonly retryAfterSeconds: number) {
    super(`Too many attempts; try again in ${retryAfterSeconds} seconds`);
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': String(this.retryAfterSeconds) };
  }
}

/** One address has too many unauthenticated requests in flight. */
export class TooManyConcurrentRequests extends AppError {
  readonly kind = 'limited';
  readonly code = 'TOO_MANY_CONCURRENT_REQUESTS';

  constructor() {
    super('Too many concurrent requests from this address; wait until the others are answered');
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': '1' };
  }
}

/** More requests than are allowed in a minute. */
export class RateLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'RATE_LIMITED';

  /**
   * @param label which requests are counted, to complete "More than 100 requests a minute".
   * @param resetAt when the next window begins, by `performance.now()`.
   */
  constructor(
    label: string,
    private readonly max: number,
    private readonly resetAt: number,
  ) {
    super(`More than ${max} requests a minute ${label}; retry after the seconds in Retry-After`);
  }

  override headers(): Record<string, string> {
    const seconds = String(Math.max(1, Math.ceil((this.resetAt - performance.now()) / 1_000)));
    return {
      'Retry-After': seconds,
      'RateLimit-Limit': String(this.max),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': seconds,
    };
  }
}
