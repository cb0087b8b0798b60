import type { ReportResult } from './report-outbox';
import type { SendError } from './send-error';
import type { FailureReason, Fate } from './sent-ledger';
import type { ReportedStatus } from './status-report';
import type { HeartbeatResult, IncomingSms, RegisteredDevice, SmsCommand } from './wire';

/** A message that the radio got, with the parts that went on the air. */
export interface AirRecord {
  readonly smsId: string;
  readonly smsBatchId: string;
  readonly recipient: string;
  readonly text: string;
  /** What the phone reports. */
  readonly fate: Fate;
  /** The time of the outcome, in epoch milliseconds. */
  readonly at: number;
  readonly parts: number;
  /** When each part went on the air, in epoch milliseconds; empty if none did. */
  readonly partTimes: readonly number[];
  /** Undefined if there was no SIM to send it. */
  readonly simSubscriptionId?: number;
  readonly iccId?: string;
  /** Of a failed message. */
  readonly error?: SendError;
  readonly reason?: FailureReason;
  /** The carrier took the message and does not deliver it. */
  readonly dropped: boolean;
}

interface ReportedSms {
  readonly smsId: string;
  readonly recipient: string;
  readonly status: ReportedStatus;
  readonly end: Exclude<ReportResult, 'abandoned'>;
}

export interface PhoneEvents {
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
  /** Why the radio cannot send; undefined when it can again. */
  radio: [problem: string | undefined];
  /** Something failed; the phone retries unless the error is permanent. */
  failure: [message: string];
}
