import type { Types } from 'mongoose';
import type { PushTransportName } from '../../common/push-transports';

export interface PushTarget {
  readonly deviceId: Types.ObjectId;
  readonly transport: PushTransportName;
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
  | { readonly kind: 'heartbeat_check' }
  /** Tells a phone that fetches its messages that some wait for it. */
  | { readonly kind: 'fetch' };

export type PushResult =
  /** FCM accepted it. On a stream always, even if Redis or the phone is not connected: cancel requests are redelivered. */
  | { readonly outcome: 'accepted' }
  /** FCM rejected it permanently. `isTokenInvalid`: the phone needs a new push token. */
  | { readonly outcome: 'refused'; readonly code: string; readonly isTokenInvalid: boolean }
  /** FCM has certainly not accepted it, or cannot be asked: it is not configured, or the phone has no token. A retry may succeed. */
  | { readonly outcome: 'unavailable' }
  /** Unknown whether FCM accepted it. */
  | { readonly outcome: 'doubt' };

/** Claimed messages that the process may take that serves their phone: with its stream, or its fetch. */
export interface MessageOffer {
  /** Id of the write that claimed them. */
  readonly claim: Types.ObjectId;
  readonly ids: readonly Types.ObjectId[];
}

/**
 * `taken`: all of the messages, by a process that holds the stream. `published`: a process may take them now or later. `lost`:
 * Redis did not confirm that it has published the offer.
 */
export type OfferResult = 'taken' | 'published' | 'lost';

/** Takes commands for one device, and returns one result per command, in the same order. */
export interface PushTransport {
  /**
   * Offers messages to the process that holds the stream of the phone; only that process decides whether they are handed over.
   * Absent if a message is handed over by its push. Never throws.
   */
  readonly offer?: (target: PushTarget, offer: MessageOffer) => Promise<OfferResult>;
  /** Whether the command is within the transport's size limit. Absent if it has none. */
  fits?(command: PushCommand): boolean;
  push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]>;
}
