import type { Fate } from 'messaging-gateway-phone';

/** What the test observed during a run, and the records in the database afterwards. */
export interface Evidence {
  readonly sends: readonly SendEvidence[];
  readonly sentSms: readonly SentSms[];
  /** Pushes whose connection FCM broke. */
  readonly pushesInDoubt: readonly PushEvidence[];
  readonly uploads: readonly UploadEvidence[];
  readonly webhookRequests: readonly WebhookRequestEvidence[];
  readonly devices: readonly DeviceEvidence[];
  readonly batches: readonly BatchEvidence[];
  readonly messages: readonly MessageEvidence[];
  /** Of each message with an ended attempt. */
  readonly explanations: readonly ExplanationEvidence[];
  readonly deliveries: readonly DeliveryEvidence[];
  readonly subscriptions: readonly SubscriptionEvidence[];
  readonly totals: { readonly sent: number; readonly received: number };
  /** The sums of the series for charts. */
  readonly series: SeriesEvidence;
  /** The monthly usage counter of the plan. */
  readonly usage: number;
  /** Errors during the run, such as processes that exited and requests that were refused. */
  readonly errors: readonly string[];
}

export type SeriesEvidence = Readonly<Record<'received' | 'sent' | 'delivered' | 'failed', number>>;

/** A send and the responses to its client. */
export interface SendEvidence {
  readonly key: string;
  /** Of a send that names a phone. */
  readonly device?: string;
  /** The phones of the pool, of a send that names one. */
  readonly pool?: readonly string[];
  readonly text: string;
  readonly recipients: readonly string[];
  /** The distinct batch ids of its 2xx responses. */
  readonly batches: readonly string[];
}

/** One SMS that a phone has sent or tried to send. */
export interface SentSms {
  readonly device: string;
  readonly smsId: string;
  readonly batch: string;
  readonly recipient: string;
  readonly text: string;
  /** What the phone reports in the end. */
  readonly fate: Fate;
  /** The error code of its failure report. */
  readonly error?: string;
  readonly isOnAir: boolean;
  /**
   * Of a message on the air that the phone first reported as failed: milliseconds from that report until the service had
   * its report that it was sent.
   */
  readonly contradictedAfterMs?: number;
}

export interface PushEvidence {
  readonly smsId: string;
  readonly device: string;
}

export interface UploadEvidence {
  readonly device: string;
  readonly fingerprint: string;
}

/** One request to the webhook endpoint. */
export interface WebhookRequestEvidence {
  readonly subscription: string;
  readonly smsId: string;
  readonly event: string;
  readonly idempotencyKey: string;
  readonly isSigned: boolean;
}

export interface DeviceEvidence {
  readonly id: string;
  readonly transport: string;
  readonly sentSMSCount: number;
  readonly receivedSMSCount: number;
}

export interface BatchEvidence {
  readonly id: string;
  readonly key: string | undefined;
  readonly acceptance: string;
}

export interface MessageEvidence {
  readonly id: string;
  readonly device: string;
  readonly direction: string;
  readonly status: string | undefined;
  readonly batch: string | undefined;
  readonly recipient: string | undefined;
  readonly fingerprint: string | undefined;
  /** How often it was stored: an upload that is repeated after retention has removed its message is a new message with the same id. */
  readonly timesStored: number;
  readonly errorCode: string | undefined;
  /** Its ended attempts, oldest first. */
  readonly attempts: readonly AttemptEvidence[];
}

export interface AttemptEvidence {
  readonly device: string;
  /** `unavailable`, `refused` or `not_sent`. */
  readonly outcome: string;
}

/** The codes of the steps of a message's explanation. */
export interface ExplanationEvidence {
  readonly smsId: string;
  readonly steps: readonly string[];
}

export interface DeliveryEvidence {
  readonly id: string;
  readonly subscription: string;
  readonly smsId: string;
  readonly event: string;
  readonly status: string;
  readonly attempts: number;
}

export interface SubscriptionEvidence {
  readonly id: string;
  readonly events: readonly string[];
  readonly successes: number;
  readonly failures: number;
  readonly attempts: number;
}
