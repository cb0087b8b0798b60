import type { Fate } from '../../tools/virtual-phone/radio';

/** All that a run has seen from outside and what it left in the database: what the checker judges. */
export interface Evidence {
  readonly sends: readonly SendEvidence[];
  readonly airings: readonly Airing[];
  readonly uploads: readonly UploadEvidence[];
  readonly posts: readonly PostEvidence[];
  readonly devices: readonly DeviceEvidence[];
  readonly batches: readonly BatchEvidence[];
  readonly messages: readonly MessageEvidence[];
  readonly deliveries: readonly DeliveryEvidence[];
  readonly subscriptions: readonly SubscriptionEvidence[];
  readonly totals: { readonly sent: number; readonly received: number };
  /** What the plan's counter of the month says. */
  readonly usage: number;
  /** What went wrong while it ran: processes that ended by themselves, refusals of what should be taken, ... */
  readonly faults: readonly string[];
}

/** A send and what its client was told. */
export interface SendEvidence {
  readonly key: string;
  readonly device: string;
  readonly text: string;
  readonly recipients: readonly string[];
  /** The batches that its 2xx answers named, each once. */
  readonly batches: readonly string[];
}

/** One SMS that a phone has put on the air, or that its radio has refused. */
export interface Airing {
  readonly device: string;
  readonly smsId: string;
  readonly batch: string;
  readonly recipient: string;
  readonly text: string;
  readonly fate: Fate;
}

export interface UploadEvidence {
  readonly device: string;
  readonly fingerprint: string;
}

/** One request that reached a webhook receiver. */
export interface PostEvidence {
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
