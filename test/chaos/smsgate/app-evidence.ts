import type { StoredSms } from '../../support/smsgate/app-storage';

/** What the app of one phone knows after a run. */
export interface AppPhoneEvidence {
  readonly device: string;
  /** The ids of the SMS that have left the phone, in order. */
  readonly aired: readonly string[];
  readonly sms: ReadonlyMap<string, Pick<StoredSms, 'state' | 'states'>>;
  /** The texts that have arrived at the phone; each is unique. */
  readonly received: readonly string[];
  readonly violations: readonly string[];
}

export interface AppMessageEvidence {
  readonly id: string;
  readonly device: string;
  readonly recipient?: string;
  readonly status?: string;
}

/** What is known after a run with the app: of its phones and of the service. */
export interface AppEvidence {
  readonly phones: readonly AppPhoneEvidence[];
  /** The recipients of the sends that the service has accepted; each is unique. */
  readonly recipients: readonly string[];
  readonly messages: readonly AppMessageEvidence[];
  /** The texts that the service has stored for each device. */
  readonly stored: readonly { readonly device: string; readonly text: string }[];
  /** Processes of the service that failed. */
  readonly errors: readonly string[];
}

export interface AppVerdict {
  /** Messages that are neither final nor unknown, and texts that are missing. */
  readonly losses: readonly string[];
  /** SMS that were aired, and texts that were stored, more than once. */
  readonly duplicates: readonly string[];
  /** Messages whose state is not that of the phone. */
  readonly wrongStates: readonly string[];
  /** Messages that stayed `sent`, because the report of their delivery was lost for good. */
  readonly lostDeliveries: readonly string[];
  readonly otherErrors: readonly string[];
}
