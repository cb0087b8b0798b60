import { failureReason } from '../failure-reason';
import type { ReportEvent } from '../outbox/message-event';
import type { OutgoingStatus } from '../message-status';

/** A phone's report on a message. */
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

/** A report as a state transition and an event. */
export interface ParsedReport {
  /** The status to move to. */
  readonly to: OutgoingStatus;
  readonly event: ReportEvent;
  /** `UNKNOWN_STATE` only: the reported status, in lower case. */
  readonly reportedStatus?: string;
  /** Stored unless the message already has them. */
  readonly times: Partial<
    Record<'sentAt' | 'deliveredAt' | 'failedAt' | 'pushReceivedAt' | 'sendAttemptedAt', Date>
  >;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly simUsed?: number;
}

/** Parses a report. `now` replaces the time of the reported status if the phone sent none. */
export function parseReport(report: StatusReport, now: Date): ParsedReport {
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
