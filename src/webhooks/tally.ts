import type { Settlement } from './settlement';

/** What settled attempts add to the counts of their subscription. */
export interface Tally {
  readonly attempts: number;
  /** Deliveries that are delivered now and were not before. */
  readonly delivered: number;
  /** Deliveries that have failed for good now. */
  readonly failed: number;
  /** When the attempt began that began last, however long it took; of those that succeeded and failed likewise. */
  readonly lastAttemptAt?: Date;
  readonly lastSuccessAt?: Date;
  readonly lastFailureAt?: Date;
  /** Whether an attempt succeeded; what follows counts from the last that did. */
  readonly hasSucceeded: boolean;
  readonly failingSince?: Date;
  readonly failingAttempts: number;
}

/** Adds up settlements in the order their attempts ended. */
export function tally(settlements: readonly Settlement[]): Tally {
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
