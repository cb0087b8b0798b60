import type { Types } from 'mongoose';

export interface PushTarget {
  readonly deviceId: Types.ObjectId;
  readonly transport: 'fcm' | 'stream';
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
  /** FCM accepted it. On a stream always, even if Redis or the phone is not connected: messages and cancel requests are redelivered. */
  | { readonly outcome: 'accepted' }
  /** FCM rejected it permanently. `isTokenInvalid`: the phone needs a new push token. */
  | { readonly outcome: 'refused'; readonly code: string; readonly isTokenInvalid: boolean }
  /** FCM has certainly not accepted it, or cannot be asked: it is not configured, or the phone has no token. A retry may succeed. */
  | { readonly outcome: 'unavailable' }
  /** Unknown whether FCM accepted it. */
  | { readonly outcome: 'doubt' };

/** Takes commands for one device, and returns one result per command, in the same order. */
export interface PushTransport {
  /** Whether the command is within the transport's size limit. */
  fits(command: PushCommand): boolean;
  push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]>;
}
