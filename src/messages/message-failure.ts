import { causingRequest } from '../common/log-ids';
import { failureReason } from './failure-reason';
import { raisedKey } from './message-event';

/** The update that fails a message which no phone has reported on, with its event. */
export function failureUpdate(errorCode: string, now: Date) {
  return {
    $set: {
      status: 'failed' as const,
      failedAt: now,
      settledAt: now,
      errorCode,
      errorMessage: failureReason(errorCode),
      relayDueAt: now,
      updatedAt: now,
    },
    $unset: { pushStartedAt: 1, pushClaim: 1, offerUntil: 1, unavailableSince: 1, cancelRequestedAt: 1 },
    $addToSet: { raised: raisedKey('MESSAGE_FAILED') },
    $push: { outbox: { event: 'MESSAGE_FAILED' as const, at: now, ...causingRequest() } },
  } as const;
}
