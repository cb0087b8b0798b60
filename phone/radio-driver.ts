import type { FailureReason } from './sent-ledger';
import type { ReceivedSms } from './radio';
import type { ReportResult } from './report-outbox';
import type { SmsCommand } from './wire';

/** Why the radio cannot be used now, in a sentence that says what to do. */
export class RadioUnavailable extends Error {
  override readonly name = 'RadioUnavailable';
}

export interface RadioSim {
  readonly subscriptionId: number;
  /** From 0. */
  readonly slot: number;
  readonly carrierName?: string;
  readonly displayName?: string;
  readonly mcc?: string;
  readonly mnc?: string;
}

/** What a radio knows of itself. */
export interface RadioFacts {
  readonly manufacturer: string;
  readonly model: string;
  readonly os: string;
  /** Seconds that one message takes; undefined if the radio has a pace of its own. */
  readonly sendDelaySeconds?: number;
  readonly batteryPercentage?: number;
  readonly isCharging?: boolean;
  readonly networkType?: string;
  readonly sims: readonly RadioSim[];
}

/** What the radio knows of a message; times in epoch milliseconds. */
export type RadioState =
  /** Not sent yet. */
  | { readonly state: 'waiting' }
  | { readonly state: 'sent'; readonly at: number; readonly isConfirmed: boolean }
  | { readonly state: 'delivered'; readonly sentAt: number; readonly at: number }
  /** Sent, and refused by the network afterwards. */
  | {
      readonly state: 'undelivered';
      readonly sentAt: number;
      readonly at: number;
      readonly reason: FailureReason;
    }
  | { readonly state: 'failed'; readonly at: number; readonly reason: FailureReason }
  /** It may have been sent, and nobody will ever know. */
  | { readonly state: 'doubtful' };

/** A received message, or the parts of one, in the store of the radio. */
export interface StoredSms extends ReceivedSms {
  /** Identifies it in the store. */
  readonly key: string;
}

/** A modem or phone that is driven by requests, and remembers messages by their ids. Every method rejects if it cannot be reached. */
export interface RadioDriver {
  /** Whether looking up costs nothing. */
  readonly isLocal: boolean;
  /** @throws RadioUnavailable */
  check(): Promise<RadioFacts>;
  /** Identifies the store that remembers the ids; known after `check`. */
  readonly store: string;
  /**
   * Hands a message over; does nothing for a known id. A rejection leaves open whether it was taken.
   * @returns why it never will be.
   */
  hand(command: SmsCommand): Promise<FailureReason | undefined>;
  /** @returns what is known; ids that the store has never got are absent. */
  statesOf(smsIds: readonly string[]): Promise<ReadonlyMap<string, RadioState>>;
  /** @returns whether it is certain that the message was not and will not be sent. */
  withdraw(smsId: string): Promise<boolean>;
  /** Received messages that are not settled, at most 50. */
  received(): Promise<readonly StoredSms[]>;
  /** Remembers that a received message was uploaded, or that the service refuses it for good. */
  settle(key: string, end: Exclude<ReportResult, 'abandoned'>): Promise<void>;
  close(): void;
}
