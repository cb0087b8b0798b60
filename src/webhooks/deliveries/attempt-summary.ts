import type { DeliveryUpdate } from './delivery-update';

/** What attempts change on their subscription, and for the metrics how many deliveries they finished. */
export interface AttemptSummary {
  readonly attempts: number;
  /** Deliveries that became delivered or failed; for the metrics only. */
  readonly delivered: number;
  readonly failed: number;
  /** Start times of the latest attempt, success and failure. */
  readonly lastAttemptAt?: Date;
  readonly lastSuccessAt?: Date;
  readonly lastFailureAt?: Date;
  readonly hasSucceeded: boolean;
  /** When the first failure since the last success began, and the number of these failures. */
  readonly failingSince?: Date;
  readonly failingAttempts: number;
}

/** Sums up attempts by their updates. @param updates in the order their attempts ended. */
export function attemptSummary(updates: readonly DeliveryUpdate[]): AttemptSummary {
  const succeeded = ({ attempt }: DeliveryUpdate) => attempt.outcome.kind === 'delivered';
  const timeOf = (update: DeliveryUpdate | undefined) => update?.attempt.at;
  const lastSuccess = updates.findLastIndex(succeeded);
  const failing = updates.slice(lastSuccess + 1);
  return {
    attempts: updates.length,
    delivered: updates.filter(
      ({ attempt, computedStatus }) =>
        computedStatus === 'delivered' && attempt.delivery.computedStatus !== 'delivered',
    ).length,
    failed: updates.filter(({ computedStatus }) => computedStatus === 'failed').length,
    lastAttemptAt: latestOf(updates),
    lastSuccessAt: latestOf(updates.filter(succeeded)),
    lastFailureAt: latestOf(updates.filter((update) => !succeeded(update))),
    hasSucceeded: lastSuccess >= 0,
    failingSince: timeOf(failing[0]),
    failingAttempts: failing.length,
  };
}

function latestOf(updates: readonly DeliveryUpdate[]): Date | undefined {
  const times = updates.map(({ attempt }) => attempt.at.getTime());
  return times.length > 0 ? new Date(Math.max(...times)) : undefined;
}
