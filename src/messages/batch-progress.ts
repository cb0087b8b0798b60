import type { Message } from './message.schema';
import { isUncounted, type UncountedCode } from './failures/withdrawn-codes';
import { SUCCESS_STATUSES, UNSETTLED_STATUSES, type OutgoingStatus } from './message-status';

export const BATCH_STATUSES = [
  'pending',
  'processing',
  'completed',
  'partial_success',
  'failed',
  'unknown',
  'sent',
  'delivered',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

export interface BatchProgress {
  status: BatchStatus;
  successCount: number;
  failureCount: number;
  /** Included in `failureCount`. */
  cancelledCount: number;
  /** Messages to blocked recipients; included in `failureCount`. */
  suppressedCount: number;
  completedAt?: Date;
  error?: string;
}

/** The fields of a message that its batch's progress is derived from. */
export type MessageOutcome = Pick<
  Message,
  'status' | 'settledAt' | 'failedAt' | 'errorCode' | 'errorMessage'
>;
/** Messages with the same outcome. */
export interface CountedOutcome extends MessageOutcome {
  /** Absent: 1. `settledAt` is the time of the last of them, `failedAt` and `errorMessage` are those of the first. */
  readonly count?: number;
}

interface Failure {
  readonly at: Date;
  readonly text?: string;
}

export function batchProgress(messages: readonly CountedOutcome[]): BatchProgress {
  const total = sumOf(messages);
  const pending = count(messages, 'pending');
  const unsettled = count(messages, ...UNSETTLED_STATUSES);
  const successCount = count(messages, ...SUCCESS_STATUSES);
  const failureCount = count(messages, 'failed');
  const failure = firstFailure(messages);
  return {
    status: statusOf(total, pending, unsettled, successCount, failureCount),
    successCount,
    failureCount,
    cancelledCount: sumOf(messages.filter((message) => failedWith('CANCELLED', message))),
    suppressedCount: sumOf(messages.filter((message) => failedWith('SUPPRESSED', message))),
    ...(unsettled === 0 && total > 0 && { completedAt: latest(messages) }),
    ...(failure && { error: failure.text }),
  };
}

const sumOf = (messages: readonly CountedOutcome[]): number =>
  messages.reduce((sum, { count: counted = 1 }) => sum + counted, 0);

function count(messages: readonly CountedOutcome[], ...statuses: readonly OutgoingStatus[]): number {
  return sumOf(
    messages.filter(({ status }) => status !== undefined && statuses.some((each) => each === status)),
  );
}

function statusOf(
  total: number,
  pending: number,
  unsettled: number,
  succeeded: number,
  failed: number,
): BatchStatus {
  if (pending === total) return 'pending';
  if (unsettled > 0) return 'processing';
  if (succeeded === total) return 'completed';
  if (failed === total) return 'failed';
  return succeeded > 0 ? 'partial_success' : 'unknown';
}

const timeOf = (date: Date | undefined): number => date?.getTime() ?? 0;

const failedWith = (code: UncountedCode, { status, errorCode }: MessageOutcome): boolean =>
  status === 'failed' && errorCode === code;

/** The first failure that is counted as one. */
function firstFailure(messages: readonly MessageOutcome[]): Failure | undefined {
  return messages
    .filter(({ status, errorCode }) => status === 'failed' && !isUncounted(errorCode))
    .map(({ failedAt, errorMessage }) => ({
      at: new Date(timeOf(failedAt)),
      ...(errorMessage !== undefined && { text: errorMessage }),
    }))
    .reduce<Failure | undefined>((first, each) => (first && first.at <= each.at ? first : each), undefined);
}

const latest = (messages: readonly MessageOutcome[]): Date =>
  new Date(messages.reduce((last, { settledAt }) => Math.max(last, timeOf(settledAt)), 0));
