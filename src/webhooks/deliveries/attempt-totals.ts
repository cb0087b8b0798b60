import type { Settlement } from './settlement';

/** What attempts add to the counters of their subscription. */
export interface AttemptTotals {
  readonly attempts: number;
  /** Deliveries that became delivered or failed. */
  readonly delivered: number;
  readonly failed: number;
  /** Start times of the latest attempt, success and failure. */
  readonly lastAttemptAt?: Date;
  readonly lastSuccessAt?: Date;
  readonly lastFailureAt?: Date;
  /** The failing fields count from the last success. */
  readonly hasSucceeded: boolean;
  readonly failingSince?: Date;
  readonly failingAttempts: number;
}

/** Sums up settlements. @param settlements in the order their attempts ended. */
export function attemptTotals(settlements: readonly Settlement[]): AttemptTotals {
  const succeeded = ({ attempt }: Settlement) => attempt.outcome.kind === 'delivered';
  const timeOf = (settlement: Settlement | undefined) => settlement?.attempt.at;
  const lastSuccess = settlements.findLastIndex(succeeded);
  const failing = settlements.slice(lastSuccess + 1);
  return {
    attempts: settlements.length,
    delivered: settlements.filter(
      ({ attempt, computedStatus }) =>
        computedStatus === 'delivered' && attempt.delivery.computedStatus !== 'delivered',
    ).length,
    failed: settlements.filter(({ computedStatus }) => computedStatus === 'failed').length,
    lastAttemptAt: latestOf(settlements),
    lastSuccessAt: latestOf(settlements.filter(succeeded)),
    lastFailureAt: latestOf(settlements.filter((settlement) => !succeeded(settlement))),
    hasSucceeded: lastSuccess >= 0,
    failingSince: timeOf(failing[0]),
    failingAttempts: failing.length,
  };
}

function latestOf(settlements: readonly Settlement[]): Date | undefined {
  const times = settlements.map(({ attempt }) => attempt.at.getTime());
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}
