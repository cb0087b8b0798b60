import { AppError } from '../../common/errors';

/** Operations whose concurrency is limited, each with the setting of its limit. */
export const CONCURRENT_WORK = {
  streams: { label: 'open streams', variable: 'MAX_STREAMS_PER_ACCOUNT', retryAfterS: 15 },
  webhookTests: {
    label: 'webhook tests at the same time',
    variable: 'MAX_WEBHOOK_TESTS_PER_ACCOUNT',
    retryAfterS: 1,
  },
  searches: { label: 'searches at the same time', variable: 'MAX_SEARCHES_PER_ACCOUNT', retryAfterS: 1 },
  lists: {
    label: 'lists and batches read at the same time',
    variable: 'MAX_LISTS_PER_ACCOUNT',
    retryAfterS: 1,
  },
  replays: { label: 'webhook replays at the same time', variable: 'MAX_REPLAYS_PER_ACCOUNT', retryAfterS: 1 },
} as const;
export type ConcurrentWork = keyof typeof CONCURRENT_WORK;

export class ConcurrencyLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'CONCURRENCY_LIMITED';

  constructor(
    private readonly work: ConcurrentWork,
    max: number,
  ) {
    const { label, variable } = CONCURRENT_WORK[work];
    super(
      `An account can have at most ${max} ${label} (${variable}); wait until one of them ends, then retry`,
    );
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': String(CONCURRENT_WORK[this.work].retryAfterS) };
  }
}
