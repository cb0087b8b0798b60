import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../common/durations';
import type { BlockKind, BreakerState } from '../../states/breaker-state';

/** The circuit breaker of a SIM that was blocked at least once. */
export interface Breaker {
  readonly kind: BlockKind;
  readonly openedAt: Date;
  /** Absent while it is open or half-open. */
  readonly closedAt?: Date;
  readonly backoffMs: number;
  /** From then on the SIM may take one message, the canary. */
  readonly canaryDueAt: Date;
  /** The canary that has no result yet. */
  readonly canary?: Canary;
  /** Canaries in a row that left. */
  readonly successes: number;
}

export interface Canary {
  /** Key of its recipient. */
  readonly recipient: string;
  readonly at: Date;
}

/** What a canary showed; nothing, if its recipient or its text was the cause. */
export type CanaryResult = 'success' | 'failure' | 'nothing';

const MIN_BACKOFF_MS = 5 * MINUTE_MS;
const MAX_BACKOFF_MS = 6 * HOUR_MS;

/** A breaker that opens again within this time goes on with its backoff. */
const RELAPSE_MS = DAY_MS;

const SUCCESSES_TO_CLOSE = 3;

/** A canary without a result for so long has failed. */
const CANARY_TIMEOUT_MS = 10 * MINUTE_MS;

const after = (time: Date, ms: number) => new Date(time.getTime() + ms);

export function breakerState(breaker: Breaker | undefined, now: Date): BreakerState {
  if (!breaker || breaker.closedAt) return 'closed';
  return breaker.canary || now >= breaker.canaryDueAt ? 'half-open' : 'open';
}

/** @param previous the breaker so far, closed or absent. */
export function openBreaker(previous: Breaker | undefined, kind: BlockKind, now: Date): Breaker {
  const isRelapse = previous?.closedAt !== undefined && now <= after(previous.closedAt, RELAPSE_MS);
  const backoffMs = isRelapse ? longerBackoff(previous) : MIN_BACKOFF_MS;
  return { kind, openedAt: now, backoffMs, canaryDueAt: after(now, backoffMs), successes: 0 };
}

/**
 * Lets a message to `recipient` be the canary. Store the result on condition that the breaker is unchanged.
 * @returns undefined if the breaker is closed, or no canary is due.
 */
export function leaseCanary(breaker: Breaker, recipient: string, now: Date): Breaker | undefined {
  if (breakerState(breaker, now) !== 'half-open' || breaker.canary) return undefined;
  return { ...breaker, canary: { recipient, at: now } };
}

/**
 * Gives back a canary whose message did not leave, so that another message can be it. Store the result on condition that the
 * breaker is unchanged.
 * @returns the same object if this canary was settled meanwhile.
 */
export function releaseCanary(breaker: Breaker, released: Canary): Breaker {
  const { canary, ...withoutCanary } = breaker;
  const isSame = canary?.recipient === released.recipient && canary.at.getTime() === released.at.getTime();
  return isSame ? withoutCanary : breaker;
}

export function settleCanary({ canary, ...breaker }: Breaker, result: CanaryResult, now: Date): Breaker {
  if (result === 'nothing') return { ...breaker, canaryDueAt: now };
  if (result === 'failure') {
    const backoffMs = longerBackoff(breaker);
    return { ...breaker, backoffMs, canaryDueAt: after(now, backoffMs), successes: 0 };
  }
  const successes = breaker.successes + 1;
  return {
    ...breaker,
    canaryDueAt: now,
    successes,
    ...(successes >= SUCCESSES_TO_CLOSE && { closedAt: now }),
  };
}

/** Settles a canary that has timed out as failed. */
export function expireCanary(breaker: Breaker, now: Date): Breaker {
  const expiresAt = canaryExpiresAt(breaker);
  return expiresAt && now >= expiresAt ? settleCanary(breaker, 'failure', now) : breaker;
}

/** When the canary times out; undefined if there is none. */
export const canaryExpiresAt = ({ canary }: Breaker): Date | undefined =>
  canary && after(canary.at, CANARY_TIMEOUT_MS);

const longerBackoff = ({ backoffMs }: Breaker) => Math.min(MAX_BACKOFF_MS, 2 * backoffMs);
