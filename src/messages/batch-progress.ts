import type { Types } from 'mongoose';
import type { RemovedProgress } from './batch.schema';
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
  /** Of the failed ones, those that were cancelled. */
  cancelledCount: number;
  completedAt?: Date;
  error?: string;
}

type Followed = Pick<Message, 'status' | 'settledAt' | 'failedAt' | 'errorCode' | 'errorMessage'>;
type Removed = Followed & Pick<Message, 'updatedAt'>;
type Failure = NonNullable<RemovedProgress['failure']>;

/**
 * How far a batch is: derived from its messages each time, so that the two can never disagree.
 * @param removed what those that are removed had come to.
 */
export function batchProgress(messages: readonly Followed[], removed?: RemovedProgress): BatchProgress {
  const total = messages.length + (removed?.count ?? 0);
  const pending = count(messages, 'pending');
  const unsettled = count(messages, ...UNSETTLED);
  const successCount = count(messages, ...SUCCEEDED) + (removed?.successCount ?? 0);
  const failureCount = count(messages, 'failed') + (removed?.failureCount ?? 0);
  const failure = earliest(removed?.failure, firstFailure(messages));
  return {
    status: statusOf(total, pending, unsettled, successCount, failureCount),
    successCount,
    failureCount,
    cancelledCount: messages.filter(isCancelled).length + (removed?.cancelledCount ?? 0),
    ...(unsettled === 0 && total > 0 && { completedAt: latest(messages, removed?.settledAt) }),
    ...(failure && { error: failure.text }),
  };
}

/** Adds settled messages that are being removed to those that were before. */
export function addRemoved(
  before: RemovedProgress | undefined,
  messages: readonly Removed[],
  chunk: Types.ObjectId,
): RemovedProgress {
  const failure = earliest(before?.failure, firstFailure(messages));
  return {
    count: (before?.count ?? 0) + messages.length,
    successCount: (before?.successCount ?? 0) + count(messages, ...SUCCEEDED),
    failureCount: (before?.failureCount ?? 0) + count(messages, 'failed'),
    cancelledCount: (before?.cancelledCount ?? 0) + messages.filter(isCancelled).length,
    settledAt: latest(messages, before?.settledAt),
    ...(failure && { failure }),
    updatedAt: messages.reduce(
      (last, { updatedAt }) => (updatedAt > last ? updatedAt : last),
      before?.updatedAt ?? new Date(0),
    ),
    chunk,
  };
}

function count(messages: readonly Followed[], ...statuses: readonly OutgoingStatus[]): number {
  return messages.filter(({ status }) => status !== undefined && statuses.some((each) => each === status))
    .length;
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

const isCancelled = ({ status, errorCode }: Followed): boolean =>
  status === 'failed' && errorCode === 'CANCELLED';

/** A cancelled message is no failure that anyone has to look into. */
function firstFailure(messages: readonly Followed[]): Failure | undefined {
  return messages
    .filter((message) => message.status === 'failed' && !isCancelled(message))
    .map(({ failedAt, errorMessage }) => ({
      at: new Date(timeOf(failedAt)),
      ...(errorMessage !== undefined && { text: errorMessage }),
    }))
    .reduce<Failure | undefined>(earliest, undefined);
}

function earliest(one: Failure | undefined, other: Failure | undefined): Failure | undefined {
  if (!one || !other) return one ?? other;
  return one.at <= other.at ? one : other;
}

function latest(messages: readonly Followed[], before: Date | undefined): Date {
  return new Date(
    messages.reduce((last, { settledAt }) => Math.max(last, timeOf(settledAt)), timeOf(before)),
  );
}
