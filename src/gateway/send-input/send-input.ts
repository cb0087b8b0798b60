import type { Purpose, QuietHours } from '../../messages/batch.schema';
import type { Priority } from '../../messages/message.schema';

/** One text and its recipients, as a caller gives them: the types are right, the values are not checked. */
export interface SendEntryInput {
  readonly message?: string;
  readonly recipients?: readonly unknown[];
  readonly simSubscriptionId?: number;
  /** ISO 8601. */
  readonly scheduledAt?: string;
  readonly encrypted?: boolean;
  readonly encryptedMessage?: string;
  /** Used if `message` is absent. */
  readonly smsBody?: string;
  /** Used if `recipients` is absent. */
  readonly receivers?: readonly unknown[];
}

/** The options of a send, which apply to all of its messages; the values are not checked. */
export interface SendOptionsInput {
  readonly priority?: Priority;
  /** ISO 8601. */
  readonly validUntil?: string;
  readonly validForSeconds?: number;
  readonly quietHours?: QuietHours;
  readonly purpose?: Purpose;
  readonly topic?: string;
  /** What becomes of recipients that are no phone numbers: the send is rejected, which is the default, or they are left out. */
  readonly onInvalidNumber?: OnInvalidNumber;
}

export const ON_INVALID_NUMBER = ['reject', 'skip'] as const;
export type OnInvalidNumber = (typeof ON_INVALID_NUMBER)[number];

/** The places in the request of an entry and its recipients, of a send of which some were left out. */
export interface KeptEntry {
  readonly entry: number;
  readonly recipients: readonly number[];
}

export interface SendInput {
  readonly entries: readonly SendEntryInput[];
  /** The field of the request that holds the entries, for errors; absent if the request itself is the entry. */
  readonly entriesField?: string;
  readonly deviceId?: string;
  readonly poolId?: string;
  readonly messageTemplate?: string;
  readonly options?: SendOptionsInput;
  /** Whether it is an automatic reply to STOP, START or HELP, which no block stops. */
  readonly isConsentReply?: true;
  /** Where its entries were in the request, if others were left out; for errors. */
  readonly kept?: readonly KeptEntry[];
}
