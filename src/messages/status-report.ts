import { failureReason } from './failure-reason';
import type { ReportEvent } from './message-event';
import type { OutgoingStatus } from './message-status';

/** What a phone says of a message. Absent times mean that it did not say. */
export interface StatusReport {
  /** As reported, in any case. */
  readonly status: string;
  readonly sentAt?: Date;
  readonly deliveredAt?: Date;
  readonly failedAt?: Date;
  readonly pushReceivedAt?: Date;
  readonly sendAttemptedAt?: Date;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** The SIM it was sent from. */
  readonly simUsed?: number;
}

/** A report in the service's own terms. */
export interface ReadReport {
  /** The state it moves to. */
  readonly to: OutgoingStatus;
  readonly event: ReportEvent;
  /** `UNKNOWN_STATE` only: what the phone said, lower case. */
  readonly reportedStatus?: string;
  /** Times to fill in where the message has none yet. */
  readonly times: Partial<
    Record<'sentAt' | 'deliveredAt' | 'failedAt' | 'pushReceivedAt' | 'sendAttemptedAt', Date>
  >;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly simUsed?: number;
}

/** Reads a report. Where the phone gives no time for what it reports, the server's serves. */
export function readReport(report: StatusReport, now: Date): ReadReport {
  const status = report.status.toLowerCase();
  const { sentAt, deliveredAt, failedAt, pushReceivedAt, sendAttemptedAt, errorCode, simUsed } = report;
  const times = { pushReceivedAt, sendAttemptedAt, sentAt };
  switch (status) {
    case 'sent':
      return { to: 'sent', event: 'MESSAGE_SENT', times: { ...times, sentAt: sentAt ?? now }, simUsed };
    case 'delivered':
      return {
        to: 'delivered',
        event: 'MESSAGE_DELIVERED',
        times: { ...times, deliveredAt: deliveredAt ?? now },
        simUsed,
      };
    case 'failed':
      return {
        to: 'failed',
        event: 'MESSAGE_FAILED',
        times: { ...times, failedAt: failedAt ?? now },
        errorCode,
        // The phone's own words stay as they are; its event adds what to do about it.
        errorMessage: report.errorMessage ?? failureReason(errorCode),
        simUsed,
      };
    default:
      return {
        to: 'unknown',
        event: 'UNKNOWN_STATE',
        reportedStatus: status,
        times,
        errorCode,
        errorMessage: report.errorMessage,
        simUsed,
      };
  }
}
