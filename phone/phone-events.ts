import type { Fate } from './radio';
import type { ReportResult } from './report-outbox';
import type { ReportedStatus } from './status-report';
import type { HeartbeatResult, IncomingSms, RegisteredDevice, SmsCommand } from './wire';

/** A message that was put on the air, or that the radio refused (`failed`). */
export interface AirRecord {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly recipient: string;
  readonly text: string;
  readonly fate: Fate;
  /** Epoch milliseconds. */
  readonly at: number;
}

interface ReportedSms {
  readonly smsId: string;
  readonly recipient: string;
  readonly status: ReportedStatus;
  readonly end: Exclude<ReportResult, 'abandoned'>;
}

export interface VirtualPhoneEvents {
  /** The service does not respond yet; the phone retries. */
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
  /** Something failed; the phone retries unless the error is permanent. */
  failure: [message: string];
}
