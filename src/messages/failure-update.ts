import { requestContext } from '../infrastructure/logging/log-ids';
import { failureReason } from './failures/failure-reason';
import { raisedKey } from './message-event';

/**
 * The update that marks an unreported message as failed, counts it and raises its event. The write must set `maxTimeMS`, to
 * `COUNTING_WRITE_TIMEOUT_MS` at most: a later count would miss its period, which is closed by then.
 */
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
    $currentDate: { finalCountedAt: true },
    $unset: {
      pushStartedAt: 1,
      pushClaim: 1,
      redeliverUntil: 1,
      unavailableSince: 1,
      cancelRequestedAt: 1,
      isRecalled: 1,
      waitingFor: 1,
      paceSlot: 1,
      simReservation: 1,
      moveDueAt: 1,
      giveUpAt: 1,
    },
    $addToSet: { raised: raisedKey('MESSAGE_FAILED') },
    $push: { outbox: { event: 'MESSAGE_FAILED' as const, at: now, ...requestContext() } },
  } as const;
}
