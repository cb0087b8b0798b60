import type { Agent } from 'node:http';
import type { SentLedgerOptions } from './sent-ledger';
import type { SmsStreamOptions } from './sms-stream';

export interface VirtualPhoneOptions {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name?: string;
  /** Identifies the phone. Random by default: each process is a new device. */
  readonly serial?: string;
  /** Enables a disabled device at the start. */
  readonly switchOn?: boolean;
  /** Seconds between two messages. Default 5, as in the app. */
  readonly sendDelaySeconds?: number;
  /** Share of messages that the radio refuses, 0 to 1. Default 0. */
  readonly failureRate?: number;
  /** Seconds until the carrier confirms a message; null for never. Default 0.5. */
  readonly deliveryDelaySeconds?: number | null;
  /** Makes failures reproducible. */
  readonly seed?: number;
  readonly receiveSmsEnabled?: boolean;
  readonly ledger?: SentLedgerOptions;
  readonly stream?: SmsStreamOptions;
  /** Concurrent status reports. Default 4. */
  readonly reportConcurrency?: number;
  /** How long `start` waits for an unavailable service. Default 60 s. */
  readonly startTimeoutMs?: number;
  /** Number of air records to keep. Default 100,000. */
  readonly airLogLimit?: number;
  /** Shared by the phones of a process to limit sockets. */
  readonly agent?: Agent;
}
