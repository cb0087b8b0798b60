import type { StoredSms } from './app-storage';

/** What the network makes of an SMS. */
export type RadioResult =
  | 'delivered'
  /** Sent; no delivery report arrives. */
  | 'sent'
  /** Neither sent nor failed. */
  | 'silent'
  /** Not sent, with the text of the app's error. */
  | { readonly error: string }
  /** Sent, then not delivered, with the status of the delivery report (64 or more). */
  | { readonly undelivered: number };

/** The phone below the app. */
export interface PhoneHardware {
  /** The slots with a SIM, from 1. */
  readonly simNumbers: readonly number[];
  readonly permissions: { readonly sendSms: boolean; readonly phone: boolean };
  /** Offset of its time zone in minutes. */
  readonly utcOffsetMinutes: number;
  readonly now: () => number;
  readonly radio: (sms: StoredSms) => RadioResult;
  /** Milliseconds until the sent report, and from it to the delivery report. */
  readonly sentAfter: number;
  readonly deliveredAfter: number;
}

export const ORDINARY_PHONE: PhoneHardware = {
  simNumbers: [1, 2],
  permissions: { sendSms: true, phone: true },
  utcOffsetMinutes: 120,
  now: Date.now,
  radio: () => 'delivered',
  sentAfter: 0,
  deliveredAfter: 0,
};

/** Why Android does not send it. */
export function refusalOf(
  { simNumber, isEncrypted, validUntil }: StoredSms,
  { simNumbers, permissions, now }: PhoneHardware,
): string | undefined {
  if (validUntil !== undefined && validUntil <= now()) return 'TTL expired';
  if (isEncrypted) return 'Decryption failed: passphrase is not set';
  if (!permissions.sendSms) return 'sendSMS: uid 10234 does not have android.permission.SEND_SMS.';
  if (simNumber === undefined) return undefined;
  if (!permissions.phone) return 'SIM selection requires READ_PHONE_STATE permission';
  return simNumbers.includes(simNumber) ? undefined : `SIM ${simNumber} not found`;
}
