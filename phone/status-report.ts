import { SEND_ERRORS, sendErrorText } from './send-error';
import type { LedgerEntry } from './sent-ledger';
import type { StatusReport } from './wire';

export type ReportedStatus = 'SENT' | 'DELIVERED' | 'FAILED';

/** @param reportsSim whether the app names the SIM, as newer apps do. */
export function statusReport(entry: LedgerEntry, status: ReportedStatus, reportsSim: boolean): StatusReport {
  const error = entry.error ?? SEND_ERRORS.GENERIC_FAILURE;
  const report = {
    smsId: entry.smsId,
    smsBatchId: entry.smsBatchId,
    status,
    pushReceivedAtInMillis: entry.pushReceivedAt,
    sendAttemptedAtInMillis: entry.sendAttemptedAt,
    ...(reportsSim && { simUsed: entry.simSubscriptionId }),
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
        errorCode: entry.reason?.code ?? error,
        errorMessage: entry.reason?.text ?? sendErrorText(error),
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
