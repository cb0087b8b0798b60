import type { Types } from 'mongoose';

export interface PushTarget {
  readonly deviceId: Types.ObjectId;
  readonly fcmToken?: string;
}

/** A command for a phone. The payload is sent unchanged. */
export type PushCommand =
  | {
      readonly kind: 'sms';
      readonly id: string;
      readonly payload: Readonly<Record<string, unknown>>;
      /** It need not arrive after this time. */
      readonly validUntil?: Date;
    }
  /** Asks a phone on a stream not to send these messages; they are cancelled once it confirms. */
  | { readonly kind: 'cancel'; readonly smsIds: readonly string[] }
  | { readonly kind: 'heartbeat_check' };

export type PushResult =
  | { readonly outcome: 'accepted' }
  /** The push service rejected it permanently. `isTokenInvalid`: the phone needs a new push token. */
  | { readonly outcome: 'refused'; readonly code: string; readonly isTokenInvalid: boolean }
  /** The push service has certainly not accepted it; a retry may succeed. */
  | { readonly outcome: 'unavailable' }
  /** Unknown whether the push service accepted it. */
  | { readonly outcome: 'doubt' };

/**
 * A push transport: takes commands for one device and returns one result per command, in the same order. All are
 * `unavailable` if it is not configured, or the target lacks what it needs, such as a token.
 */
export interface PushTransport {
  /** Whether the command is within the transport's size limit. */
  fits(command: PushCommand): boolean;
  push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]>;
}
