import type { LedgerEntry } from './sent-ledger';
import type { StatusReport } from './wire';

export type ReportedStatus = 'SENT' | 'DELIVERED' | 'FAILED';

/** Android's `RESULT_ERROR_GENERIC_FAILURE`. */
const GENERIC_FAILURE = '1';

export function statusReport(entry: LedgerEntry, status: ReportedStatus): StatusReport {
  const report = {
    smsId: entry.smsId,
    smsBatchId: entry.smsBatchId,
    status,
    pushReceivedAtInMillis: entry.pushReceivedAt,
    sendAttemptedAtInMillis: entry.sendAttemptedAt,
  };
  switch (status) {
    case 'SENT':
      return { ...report, sentAtInMillis: entry.sentAt };
    case 'DELIVERED':
      return { ...report, sentAtInMillis: entry.sentAt, deliveredAtInMillis: entry.deliveredAt };
    case 'FAILED':
      return {
        ...report,
        failedAtInMillis: entry.failedAt,
        errorCode: GENERIC_FAILURE,
        errorMessage: 'The radio refused the message (generic failure)',
      };
  }
}

/** @returns undefined before the message was on the air. */
export function latestStatus(entry: LedgerEntry): ReportedStatus | undefined {
  if (entry.deliveredAt !== undefined) return 'DELIVERED';
  if (entry.failedAt !== undefined) return 'FAILED';
  if (entry.sentAt !== undefined) return 'SENT';
  return undefined;
}

/** Whether no report follows this one. */
export function isLastStatus(entry: LedgerEntry, status: ReportedStatus): boolean {
  return status !== 'SENT' || entry.fate === 'sent';
}
