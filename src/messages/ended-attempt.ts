import type { PipelineStage } from 'mongoose';
import { coalesce } from '../infrastructure/mongo/coalesce';
import { numericCode } from './failures/failure-codes';
import { exists } from '../infrastructure/mongo/exists';
import type { AttemptOutcome } from './message.schema';

/** From the end of an attempt to the next one, so that a report that contradicts it comes first. */
export const MOVE_DELAY_MS = 10_000;

/** The code of messages that the push service took for no phone within 30 minutes. */
export const PUSH_UNAVAILABLE = 'PUSH_UNAVAILABLE';

/** Attempts that end before a message fails. */
export const MAX_ENDED_ATTEMPTS = 20;

/** Results of Android's `SmsManager`, and of the app, that mean that nothing was handed to the radio. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  '2', // radio off, also in airplane mode
  '4', // no service
  '5', // more than Android lets an app send
  'PERMISSION_DENIED',
]);

/** Whether a phone that reports this failure has certainly not sent anything, if the message has one part. */
export const wasNotSent = (errorCode: string | undefined): boolean =>
  errorCode !== undefined && NOT_SENT_CODES.has(numericCode(errorCode));

/** Condition of the messages that no worker is pushing, and that may be claimed when they are due. */
export const CLAIMABLE = {
  pushStartedAt: { $exists: false },
  $or: [{ status: 'pending' as const }, { status: 'dispatched' as const, moveDueAt: { $exists: true } }],
};

export interface AttemptEnd {
  readonly outcome: AttemptOutcome;
  readonly code: string;
  readonly endedAt: Date;
  /** When the message is due again. */
  readonly moveDueAt: Date;
}

/**
 * The update that ends the current attempt of a message of a pool, so that it moves to another SIM. A message that its phone
 * had stays counted for the limits of the SIM.
 */
export function endAttemptUpdate(end: AttemptEnd): PipelineStage[] {
  const { outcome, code, endedAt, moveDueAt } = end;
  const ended = {
    device: '$device',
    sim: coalesce('$sim'),
    ...(outcome === 'not_sent' && { simReservation: coalesce('$simReservation') }),
    startedAt: coalesce('$pushStartedAt', '$dispatchedAt'),
    endedAt,
    outcome,
    code: { $literal: code },
  };
  return [
    { $set: { attempts: { $concatArrays: [{ $ifNull: ['$attempts', []] }, [ended]] } } },
    ...dueAgainUpdate(moveDueAt, endedAt),
  ];
}

/** The update that makes a message of a pool due again that its phone did not get. */
export function dueAgainUpdate(moveDueAt: Date, now: Date): PipelineStage[] {
  return [
    { $set: { moveDueAt, nextDispatchAt: moveDueAt, updatedAt: now } },
    { $unset: ['redeliverUntil', 'pushStartedAt', 'pushClaim', 'simReservation'] },
  ];
}

/** An expression for the new `moveDueAt` of a message; only those that wait to move have one. */
export const ifMoving = (dueAt: unknown) => ({
  $cond: [exists('$moveDueAt'), dueAt, '$$REMOVE'],
});
