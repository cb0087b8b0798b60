import type { Agent } from 'node:http';
import type { SentLedgerOptions } from './sent-ledger';
import type { SmsStreamOptions } from './sms-stream';

export interface VirtualPhoneOptions {
  /** Where the service is, without `/api/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly name?: string;
  /** What the service recognises the phone by. Random by default: every start of a process is another device then. */
  readonly serial?: string;
  /** Enables the device at the start, where it was disabled. */
  readonly switchOn?: boolean;
  /** Seconds between two messages, fractions allowed. Default 5, as phones have. */
  readonly sendDelaySeconds?: number;
  /** The share of messages the radio refuses, 0 to 1. Default 0. */
  readonly failureRate?: number;
  /** Seconds until the carrier confirms a message; null for a carrier that never does. Default 0.5. */
  readonly deliveryDelaySeconds?: number | null;
  /** Makes the failures the same in each run. */
  readonly seed?: number;
  readonly receiveSmsEnabled?: boolean;
  readonly ledger?: SentLedgerOptions;
  readonly stream?: SmsStreamOptions;
  /** Status reports under way at once. Default 4. */
  readonly reportConcurrency?: number;
  /** How long `start` waits for a service that is not there yet. Default 60 s. */
  readonly startTimeoutMs?: number;
  /** How many of the latest air records are kept. Default 100,000. */
  readonly airLogLimit?: number;
  /** Shared by phones of one process to bound their sockets. */
  readonly agent?: Agent;
}
