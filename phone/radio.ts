import type { ReportResult } from './report-outbox';
import type { SendError } from './send-error';
import type { FailureReason, Fate, LedgerEntry } from './sent-ledger';
import type { SmsCommand } from './wire';

/** A SIM as attempts and reports name it. */
export interface UsedSim {
  readonly subscriptionId: number;
  readonly card: { readonly iccId?: string };
}

/** A message that the app handed to the radio. */
export interface SendAttempt {
  readonly command: SmsCommand;
  readonly parts: number;
  /** Undefined if there was no SIM to send it. */
  readonly slot?: UsedSim;
  /** The store that remembers the message by its id, if the radio has one. */
  readonly store?: string;
}

export interface SendResult {
  readonly fate: Fate;
  /** Epoch milliseconds. */
  readonly at: number;
  /** When each part went on the air, in epoch milliseconds. */
  readonly partTimes: readonly number[];
  readonly error?: SendError;
  /** What the radio said, in place of the code and the text of the error. */
  readonly reason?: FailureReason;
  /** The carrier took the message and does not deliver it; only simulated carriers tell. */
  readonly dropped: boolean;
}

export interface ReceivedSms {
  readonly sender: string;
  readonly message: string;
  readonly receivedAtInMillis: number;
}

export interface RadioListener {
  /** Called before anything is on the air. */
  attempted(attempt: SendAttempt, at: number): void;
  /** Called once for each attempt, also when the radio is stopped. */
  ended(attempt: SendAttempt, result: SendResult): void;
  delivered(smsId: string, at: number): void;
  /** The network refused a message after it was sent. */
  deliveryFailed(smsId: string, at: number, reason: FailureReason): void;
  /** The delivery of a message that was sent will not be confirmed. */
  unconfirmed(smsId: string): void;
  /** Nobody knows whether the message was sent: it is not reported, and never sent again. */
  inDoubt(smsId: string): void;
}

/** What a radio tells that receives, or that can be unplugged. */
export interface MachineRadioListener extends RadioListener {
  /** Resolves when the service has the message, or will never take it. */
  received(sms: ReceivedSms): Promise<ReportResult>;
  /** @param problem why nothing can be sent; undefined when it can be again. */
  availabilityChanged(problem: string | undefined): void;
  /** What the radio says of itself has changed. */
  factsChanged(): void;
  failure(message: string): void;
}

/** Sends the messages of a phone. The ledger has recorded a message before `send` is called. */
export interface Radio {
  /** Whether nothing is left to send, and no outcome is pending. */
  readonly isIdle: boolean;
  /** Whether no outcome of a message on the air is pending. */
  readonly isQuiet: boolean;
  /** Queues a message. */
  send(command: SmsCommand): void;
  /** Forgets a message that is still queued. @returns false if it is not. */
  remove(smsId: string): boolean;
  /** Takes back a message that was attempted. @returns whether it is certain that it is not sent. */
  withdraw(smsId: string): Promise<boolean>;
  /**
   * What became of a message that an earlier run attempted.
   * @returns `failed` if it is lost; `pending` if the listener will be told.
   */
  recover(entry: LedgerEntry): 'failed' | 'pending';
  /** Tells the listener of the delivery of a message that an earlier run sent. */
  awaitDelivery(smsId: string, sentAt: number, subscriptionId: number | undefined): void;
  /** Messages on the air and delivery reports continue. */
  pause(): void;
  resume(): void;
  /** Forgets queued messages. Messages on the air and delivery reports continue. */
  stopSending(): void;
  stop(): void;
}
