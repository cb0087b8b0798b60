import { plausibleTime } from '../../common/phone-time';
import { failureReason } from '../failures/failure-reason';
import type { ReportEvent } from '../message-event';
import type { OutgoingStatus } from '../message-status';

/** A phone's report on a message. */
export interface StatusReport {
  /** As reported, upper or lower case. */
  readonly status: string;
  // Times by the clock of the phone, which may be wrong.
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
  readonly status: OutgoingStatus;
  readonly event: ReportEvent;
  /** `UNKNOWN_STATE` only: the reported status, in lower case. */
  readonly reportedStatus?: string;
  /** Stored if missing and consistent with the status. */
  readonly times: Partial<
    Record<'sentAt' | 'deliveredAt' | 'failedAt' | 'pushReceivedAt' | 'sendAttemptedAt', Date>
  >;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly simSubscriptionId?: number;
}

/** Parses a report. `now` replaces the time of the reported status if the phone sent none that can be right. */
export function parseReport(report: StatusReport, now: Date): ParsedReport {
  const { errorCode, errorMessage } = report;
  const timeOf = (time: Date | undefined) => plausibleTime(time?.getTime(), now);
  const [sentAt, deliveredAt, failedAt] = [report.sentAt, report.deliveredAt, report.failedAt].map(timeOf);
  const pushReceivedAt = timeOf(report.pushReceivedAt);
  const sendAttemptedAt = timeOf(report.sendAttemptedAt);
  const reportedStatus = report.status.toLowerCase();
  const withTime = (time: ParsedReport['times']) => ({
    times: { pushReceivedAt, sendAttemptedAt, sentAt, ...time },
    simSubscriptionId: report.simUsed,
  });
  switch (reportedStatus) {
    case 'sent':
      return { ...withTime({ sentAt: sentAt ?? now }), status: 'sent', event: 'MESSAGE_SENT' };
    case 'delivered':
      return {
        ...withTime({ deliveredAt: deliveredAt ?? now }),
        status: 'delivered',
        event: 'MESSAGE_DELIVERED',
      };
    case 'failed':
      return {
        ...withTime({ failedAt: failedAt ?? now }),
        status: 'failed',
        event: 'MESSAGE_FAILED',
        errorCode,
        errorMessage: errorMessage ?? failureReason(errorCode),
      };
    default: {
      const error = { errorCode, errorMessage };
      return { ...withTime({}), status: 'unknown', event: 'UNKNOWN_STATE', reportedStatus, ...error };
    }
  }
}
