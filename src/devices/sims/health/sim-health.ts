import { MINUTE_MS } from '../../../common/durations';
import type { BlockKind, BreakerState } from '../../states/breaker-state';
import {
  type Breaker,
  breakerState,
  canaryExpiresAt,
  type CanaryResult,
  expireCanary,
  openBreaker,
  settleCanary,
} from './breaker';
import { countsAgainstSim } from './sim-neutral-failures';
import { isConvincing, NO_SUSPICION, type Odds, type Suspicion, weigh } from './suspicion';

/**
 * What became of a message of a SIM. Reports that change nothing about the message are no outcomes. What was delivered was
 * sent first: a message of which only the delivery is reported has both outcomes.
 */
export interface Outcome {
  /** `undelivered`: a delivery report that says so. */
  readonly kind: 'sent' | 'delivered' | 'undelivered' | 'failed';
  /** When the service learned of it. */
  readonly at: Date;
  /** Key of the recipient: a hash of its number, of which eight bytes are enough. */
  readonly recipient: string;
  /** Of a failure. */
  readonly code?: string;
}

/** The part of the health that tells whether a SIM may send. */
export interface HealthFacts {
  /** Failures among the messages that left or failed. */
  readonly failures: ObservedRate;
  /** Absent until it opens for the first time. */
  readonly breaker?: Breaker;
}

/** The health of a SIM, as stored: 6 kB at most. */
export interface SimHealth extends HealthFacts {
  /** Deliveries within five minutes among the messages that left. */
  readonly deliveries: ObservedRate;
  readonly failing: Suspicion;
  readonly silent: Suspicion;
  /** A sample of the messages that left in the last five minutes, oldest first; at most 64. */
  readonly awaited: readonly Awaited[];
}

interface Awaited {
  readonly recipient: string;
  readonly sentAt: Date;
  readonly isDelivered: boolean;
}

/** A mean in which the latest 500 messages count. */
export interface ObservedRate {
  /** Between 0 and 1. */
  readonly mean: number;
  /** The number of messages it stands for. */
  readonly weight: number;
}

/** What is known of a SIM that has sent nothing: 2 % of failures, and no deliveries. */
export const NEW_SIM_HEALTH: SimHealth = {
  failures: { mean: 0.02, weight: 50 },
  deliveries: { mean: 0, weight: 20 },
  failing: NO_SUSPICION,
  silent: NO_SUSPICION,
  awaited: [],
};

const MAX_WEIGHT = 500;
const MAX_AWAITED = 64;
const DELIVERY_TIMEOUT_MS = 5 * MINUTE_MS;

/** A working SIM may send to a list in which three of ten numbers are unknown. */
const FAILING: Odds = { working: 0.3, blocked: 0.95 };

/** Below it a missing delivery report means little. */
const MIN_DELIVERIES = 0.2;

/** A working SIM may, for a while, deliver half as many as before. */
const silentOdds = (deliveries: ObservedRate): Odds => ({ working: 1 - deliveries.mean / 2, blocked: 0.98 });

/**
 * The health after these outcomes, in any order. Store it on condition that the health is unchanged, once for a batch.
 * The breaker opens once the outcomes suggest a block, and closes after canaries. Once a canary is due, a message that leaves
 * without being claimed as one, because its request names this SIM, becomes it.
 * @param now also the time up to which missing deliveries are counted; `outcomes` may be empty.
 */
export function recordOutcomes(health: SimHealth, outcomes: readonly Outcome[], now: Date): SimHealth {
  const ordered = outcomes.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  const recorded = ordered.reduce(
    (previous, outcome) => record(expire(previous, outcome.at), outcome),
    health,
  );
  return expire(recorded, now);
}

/** When `recordOutcomes` has to run without an outcome: a delivery or a canary times out. Undefined if nothing is awaited. */
export function healthDueAt(health: SimHealth): Date | undefined {
  const breaker = openBreakerOf(health);
  if (breaker) return canaryExpiresAt(breaker);
  const [oldest] = health.awaited;
  return oldest && deliveryTimeout(oldest);
}

export interface HealthSummary {
  readonly state: BreakerState;
  /** Between 0 and 1. */
  readonly failureRate: number;
  /** When the breaker opened, or closed again; absent if it never opened. */
  readonly since?: Date;
  /** Absent while it is closed. */
  readonly kind?: BlockKind;
  /** When the SIM may take its next message, the canary. Absent while the breaker is closed, or a canary has no result yet. */
  readonly canaryDueAt?: Date;
}

/** @param health absent if nothing was recorded yet. */
export function summarizeHealth(health: HealthFacts | undefined, now: Date): HealthSummary {
  const { failures, breaker } = health ?? NEW_SIM_HEALTH;
  const summary = { state: breakerState(breaker, now), failureRate: failures.mean };
  if (!breaker) return summary;
  if (breaker.closedAt) return { ...summary, since: breaker.closedAt };
  const { kind, openedAt, canary, canaryDueAt } = breaker;
  return { ...summary, since: openedAt, kind, ...(!canary && { canaryDueAt }) };
}

function record(health: SimHealth, outcome: Outcome): SimHealth {
  const { kind, recipient, at } = outcome;
  const isFailure = kind === 'failed' && countsAgainstSim(outcome.code);
  const isSettled = kind === 'sent' || isFailure;
  const failures = isSettled ? observe(health.failures, isFailure) : health.failures;
  const breaker = openBreakerOf(health);
  if (breaker) return { ...health, failures, breaker: probe(breaker, outcome, isFailure) };
  const failing = isSettled
    ? weigh(health.failing, { isBad: isFailure, recipient }, FAILING)
    : health.failing;
  const recorded = { ...health, failures, failing };
  switch (kind) {
    case 'sent':
      return {
        ...recorded,
        awaited: addAwaited(health.awaited, { recipient, sentAt: at, isDelivered: false }),
      };
    case 'failed':
      return isConvincing(failing) ? open(recorded, 'failures', at) : recorded;
    case 'delivered':
      return { ...recorded, awaited: markDelivered(health.awaited, recipient) };
    case 'undelivered':
      return { ...recorded, awaited: health.awaited.filter((each) => each.recipient !== recipient) };
  }
}

/** What an outcome shows about a breaker that is open. */
function probe(breaker: Breaker, outcome: Outcome, isFailure: boolean): Breaker {
  const { kind, recipient, at } = outcome;
  const mayStart = at >= breaker.canaryDueAt && (kind === 'sent' || kind === 'failed');
  const canary = breaker.canary ?? (mayStart ? { recipient, at } : undefined);
  if (canary?.recipient !== recipient) return breaker;
  const result = resultOf(breaker.kind, kind, isFailure);
  return result ? settleCanary(breaker, result, at) : { ...breaker, canary };
}

/** @returns undefined as long as the canary proves nothing yet. */
function resultOf(block: BlockKind, kind: Outcome['kind'], isFailure: boolean): CanaryResult | undefined {
  if (kind === 'failed') return isFailure ? 'failure' : 'nothing';
  if (block === 'failures' || kind === 'delivered') return 'success';
  return kind === 'undelivered' ? 'nothing' : undefined;
}

/** Judges the sample five minutes after each message, delivered or not: those still awaited are mostly the undelivered ones. */
function expire(health: SimHealth, now: Date): SimHealth {
  const breaker = openBreakerOf(health);
  if (breaker) return { ...health, breaker: expireCanary(breaker, now) };
  const [oldest] = health.awaited;
  if (!oldest || now < deliveryTimeout(oldest)) return health;
  const expired = countDelivery({ ...health, awaited: health.awaited.slice(1) }, oldest);
  return isConvincing(expired.silent) ? open(expired, 'silence', now) : expire(expired, now);
}

function countDelivery(health: SimHealth, { recipient, isDelivered }: Awaited): SimHealth {
  const { deliveries, silent } = health;
  const hadDeliveries = deliveries.mean >= MIN_DELIVERIES;
  return {
    ...health,
    deliveries: observe(deliveries, isDelivered),
    silent: hadDeliveries
      ? weigh(silent, { isBad: !isDelivered, recipient }, silentOdds(deliveries))
      : silent,
  };
}

function open(health: SimHealth, kind: BlockKind, now: Date): SimHealth {
  const breaker = openBreaker(health.breaker, kind, now);
  return { ...health, failing: NO_SUSPICION, silent: NO_SUSPICION, awaited: [], breaker };
}

const deliveryTimeout = ({ sentAt }: Awaited) => new Date(sentAt.getTime() + DELIVERY_TIMEOUT_MS);

const openBreakerOf = ({ breaker }: SimHealth) => (breaker?.closedAt ? undefined : breaker);

function addAwaited(awaited: readonly Awaited[], sent: Awaited): readonly Awaited[] {
  const isFull = awaited.length >= MAX_AWAITED;
  return isFull || awaited.some(({ recipient }) => recipient === sent.recipient)
    ? awaited
    : [...awaited, sent];
}

const markDelivered = (awaited: readonly Awaited[], recipient: string) =>
  awaited.map((each) => (each.recipient === recipient ? { ...each, isDelivered: true } : each));

function observe({ mean, weight }: ObservedRate, isHit: boolean): ObservedRate {
  const grown = Math.min(MAX_WEIGHT, weight + 1);
  return { mean: mean + (Number(isHit) - mean) / grown, weight: grown };
}
