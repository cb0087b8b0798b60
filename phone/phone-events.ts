import type { Fate } from './radio';
import type { ReportResult } from './report-outbox';
import type { ReportedStatus } from './status-report';
import type { HeartbeatResult, IncomingSms, RegisteredDevice, SmsCommand } from './wire';

/** One message put on the air (or refused by the radio: fate `failed`). */
export interface AirRecord {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly recipient: string;
  readonly text: string;
  readonly fate: Fate;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A status report that ended: the service took it, or refused it for good. */
interface ReportedSms {
  readonly smsId: string;
  readonly recipient: string;
  readonly status: ReportedStatus;
  readonly end: Exclude<ReportResult, 'abandoned'>;
}

export interface VirtualPhoneEvents {
  /** The service does not answer yet; the phone tries again. */
  waiting: [reason: string];
  registered: [device: RegisteredDevice];
  streamOpen: [];
  streamClosed: [reason: string];
  offered: [command: SmsCommand, known: boolean];
  acknowledged: [smsIds: readonly string[]];
  onAir: [record: AirRecord];
  reported: [report: ReportedSms];
  received: [sms: IncomingSms];
  heartbeat: [answer: HeartbeatResult];
  /** Something failed and is being repeated or given up; one line for people. */
  failure: [message: string];
}
