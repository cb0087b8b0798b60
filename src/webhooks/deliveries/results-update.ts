import type { PipelineStage } from 'mongoose';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import { countChange, statusChange } from './count-change';
import { MAX_STORED_ATTEMPTS } from './delivery.schema';
import type { DeliveryUpdate } from './delivery-update';

export interface CountedUpdate {
  readonly update: DeliveryUpdate;
  /** The counters of the subscription include older changes. */
  readonly countedThrough: Date;
}

/** Builds one update that stores the results of many attempts. @param counted at most one for each delivery. */
export function resultsUpdate(counted: readonly CountedUpdate[]): PipelineStage[] {
  const attempts = { $concatArrays: ['$attempts', ['$result.record']] };
  return [
    // Removed below.
    { $set: { result: valuePerDocument(counted, ({ update }) => update.attempt.delivery._id, resultOf) } },
    {
      $set: {
        computedStatus: '$result.computedStatus',
        deliveryUrl: '$result.deliveryUrl',
        lastDeliveryAttemptAt: '$result.record.at',
        deliveredAt: coalesce('$result.deliveredAt', '$deliveredAt'),
        deliveryAttemptAbortedAt: {
          $cond: [
            '$result.hasSucceeded',
            '$$REMOVE',
            coalesce('$result.abortedAt', '$deliveryAttemptAbortedAt'),
          ],
        },
        nextDeliveryAttemptAt: coalesce('$result.nextAt'),
        errorType: coalesce('$result.errorType'),
        httpStatusCode: coalesce('$result.record.httpStatusCode'),
        responseBody: coalesce('$result.responseBody'),
        ...countChange(
          { attempts: 1, delivered: '$result.delivered', failed: '$result.failed' },
          '$result.countedThrough',
        ),
        deliveryAttemptCount: { $add: ['$deliveryAttemptCount', 1] },
        redeliveryCount: { $add: ['$redeliveryCount', '$result.redeliveries'] },
        attempts: { $slice: [attempts, -MAX_STORED_ATTEMPTS] },
      },
    },
    { $unset: ['claim', 'claimedUntil', 'isRedelivery', 'scheduledAttemptAt', 'result'] },
  ];
}

function resultOf({ update, countedThrough }: CountedUpdate) {
  const { attempt, computedStatus, errorType, nextAt } = update;
  const { delivery, outcome } = attempt;
  const { httpStatusCode, responseBody } = outcome;
  const hasSucceeded = outcome.kind === 'delivered';
  return {
    record: {
      _id: attempt.id,
      at: attempt.at,
      durationMs: attempt.durationMs,
      ...(httpStatusCode !== undefined && { httpStatusCode }),
      ...(!hasSucceeded && { error: outcome.error }),
    },
    computedStatus,
    deliveryUrl: attempt.deliveryUrl,
    hasSucceeded,
    ...(hasSucceeded && { deliveredAt: delivery.deliveredAt ?? attempt.endedAt }),
    ...(computedStatus === 'failed' && { abortedAt: attempt.endedAt }),
    ...(nextAt && { nextAt }),
    ...(errorType && { errorType }),
    ...(responseBody !== undefined && { responseBody }),
    ...statusChange(delivery.computedStatus, computedStatus),
    redeliveries: delivery.isRedelivery ? 1 : 0,
    countedThrough,
  };
}
