import type { Types } from 'mongoose';

/** Where a push goes. */
export interface PushTarget {
  readonly deviceId: Types.ObjectId;
  readonly fcmToken?: string;
}

/** What a phone is told to do. The payload travels as it is. */
export type PushCommand =
  | { readonly kind: 'sms'; readonly id: string; readonly payload: Readonly<Record<string, unknown>> }
  /** Asks a phone on a stream not to send messages it was handed; only its answer cancels them. */
  | { readonly kind: 'cancel'; readonly smsIds: readonly string[] }
  | { readonly kind: 'heartbeat_check' };

/** What became of one command. */
export type PushResult =
  /** The push service has it. */
  | { readonly outcome: 'accepted' }
  /** It will never take it. `tokenIsDead`: the phone needs a new push token. */
  | { readonly outcome: 'refused'; readonly code: string; readonly tokenIsDead: boolean }
  /** It has definitely not taken it, but may later. */
  | { readonly outcome: 'unavailable' }
  /** It may or may not have taken it. */
  | { readonly outcome: 'doubt' };

/** The port to a push service: commands for one device in, one result per command out, in their order. */
export interface PushTransport {
  /** Whether there is anything to push to: a token, a configured service. */
  canReach(target: PushTarget): boolean;
  /** Whether the push service carries something of this size; it depends on the command alone. */
  fits(command: PushCommand): boolean;
  push(target: PushTarget, commands: readonly PushCommand[]): Promise<PushResult[]>;
}
