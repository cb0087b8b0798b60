import { HOUR_MS } from '../../common/durations';

/** How long a message without a deadline waits for a phone that cannot be reached; then it fails. */
const UNREACHABLE_LIMIT_MS = 72 * HOUR_MS;

/**
 * An expression for `giveUpAt` of a message that waits because its phone cannot be reached: it stays as it is while the phone
 * stays away.
 * @param since an expression for the time since when it waits.
 */
export const storedGiveUpAt = (since: unknown) => ({
  $ifNull: ['$giveUpAt', { $add: [since, UNREACHABLE_LIMIT_MS] }],
});

/** Since when a message waits that fails at this time. */
export const waitingSince = (giveUpAt: Date) => new Date(giveUpAt.getTime() - UNREACHABLE_LIMIT_MS);
