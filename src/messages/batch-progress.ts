import type { Message } from './message.schema';
import { SUCCEEDED, UNSETTLED, type OutgoingStatus } from './message-status';

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
  completedAt?: Date;
  error?: string;
}

type Followed = Pick<Message, 'status' | 'settledAt' | 'failedAt' | 'errorMessage'>;

/** How far a batch is: derived from its messages each time, so that the two can never disagree. */
export function batchProgress(messages: readonly Followed[]): BatchProgress {
  const count = (...statuses: readonly OutgoingStatus[]) =>
    messages.filter(({ status }) => status !== undefined && statuses.some((each) => each === status)).length;
  const successCount = count(...SUCCEEDED);
  const failureCount = count('failed');
  const unsettled = count(...UNSETTLED);
  const firstFailure = messages
    .filter(({ status }) => status === 'failed')
    .reduce<Followed | undefined>(
      (first, each) => (first && timeOf(first.failedAt) <= timeOf(each.failedAt) ? first : each),
      undefined,
    );
  return {
    status: statusOf(messages.length, count('pending'), unsettled, successCount, failureCount),
    successCount,
    failureCount,
    ...(unsettled === 0 && messages.length > 0 && { completedAt: latest(messages) }),
    ...(firstFailure && { error: firstFailure.errorMessage }),
  };
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

function latest(messages: readonly Followed[]): Date {
  return new Date(messages.reduce((last, { settledAt }) => Math.max(last, timeOf(settledAt)), 0));
}
