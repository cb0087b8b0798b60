import type { Agent } from 'node:http';
import type { PhoneFaults } from './phone-faults';
import type { SentLedgerOptions } from './sent-ledger';
import type { SimOptions } from './sims/sim-slots';
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
  /**
   * Default: one without an ICCID, with subscription id 1, which sends every message. With this option, messages that
   * name another SIM fail, and reports name the SIM.
   */
  readonly sims?: readonly SimOptions[];
  /** Subscription id of the SIM for messages that name none. Default: that of the lowest slot. */
  readonly defaultSim?: number;
  /** False for an app that does not tell the service its SIMs. Default true. */
  readonly tellsSims?: boolean;
  /** Android's limit of message parts by each SIM in any 60 seconds, 30 in AOSP; null for none. Default null. */
  readonly partsPerMinute?: number | null;
  /** Seconds until a person confirms a message beyond this limit; null for nobody. Default null. */
  readonly confirmationSeconds?: number | null;
  readonly faults?: Partial<PhoneFaults>;
  /** Share of messages of which the radio refuses a part, 0 to 1, for SIMs without their own. Default 0. */
  readonly failureRate?: number;
  /** Seconds until the carrier confirms a message; null for never. For SIMs without their own. Default 0.5. */
  readonly deliveryDelaySeconds?: number | null;
  /** Makes failures reproducible. */
  readonly seed?: number;
  readonly receiveSmsEnabled?: boolean;
  /** Pushes come from a fake FCM by `receivePush`, not from a stream. */
  readonly fcmToken?: string;
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
