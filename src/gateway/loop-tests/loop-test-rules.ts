import { randomInt } from 'node:crypto';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../common/durations';
import type { Message } from '../../messages/message.schema';

/** A text that does not arrive within this time is lost. */
const LOOP_TIMEOUT_MS = 10 * MINUTE_MS;

export const LOOP_RESULTS = ['waiting', 'arrived', 'lost', 'not_sent'] as const;
export type LoopResult = (typeof LOOP_RESULTS)[number];

/**
 * Why a text did not arrive.
 *
 * - `refused`: the send was refused, see its detail
 * - `not_handed_over`: it waits for its phone or SIM
 * - `failed`: the phone reported that it failed
 * - `not_reported`: the phone has it, and did not report that it sent it
 * - `receiving_off`: receiving is switched off on the other phone
 * - `receiver_offline`: the other phone cannot be reached, so that it may upload the text later
 * - `not_received`: it was sent, and receiving is on
 */
export const LOOP_REASONS = [
  'refused',
  'not_handed_over',
  'failed',
  'not_reported',
  'receiving_off',
  'receiver_offline',
  'not_received',
] as const;
export type LoopReason = (typeof LOOP_REASONS)[number];

export interface LoopOutcome {
  readonly result: LoopResult;
  readonly reason?: LoopReason;
  readonly seconds?: number;
}

export interface LoopFacts {
  readonly startedAt: Date;
  readonly now: Date;
  readonly refusal?: string | undefined;
  /** Absent if it is not accepted yet, or was deleted. */
  readonly message?: Pick<Message, 'status' | 'dispatchedAt' | 'requestedAt'> | undefined;
  /** When the text was stored. */
  readonly arrivedAt?: Date | undefined;
  /** The phone that is to receive it; absent if it was deleted. */
  readonly receiver?: { readonly receives: boolean; readonly isOnline: boolean } | undefined;
}

/** What has become of the text of one direction. */
export function loopOutcome({
  startedAt,
  now,
  refusal,
  message,
  arrivedAt,
  receiver,
}: LoopFacts): LoopOutcome {
  if (refusal !== undefined) return { result: 'not_sent', reason: 'refused' };
  if (arrivedAt) {
    const leftAt = message?.dispatchedAt ?? message?.requestedAt ?? startedAt;
    const ms = Math.max(0, arrivedAt.getTime() - leftAt.getTime());
    return { result: 'arrived', seconds: Math.round(ms / 100) / 10 };
  }
  if (message?.status === 'failed') return { result: 'not_sent', reason: 'failed' };
  if (now.getTime() - startedAt.getTime() < LOOP_TIMEOUT_MS) return { result: 'waiting' };
  if (message?.status === 'pending') return { result: 'not_sent', reason: 'not_handed_over' };
  if (message?.status !== 'sent' && message?.status !== 'delivered')
    return { result: 'lost', reason: 'not_reported' };
  if (!receiver?.receives) return { result: 'lost', reason: 'receiving_off' };
  return { result: 'lost', reason: receiver.isOnline ? 'not_received' : 'receiver_offline' };
}

/** Letters and digits that are not mistaken for each other. */
const NONCE_CHARACTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const NONCE_LENGTH = 12;

export const newNonce = (): string =>
  Array.from({ length: NONCE_LENGTH }, () => NONCE_CHARACTERS[randomInt(NONCE_CHARACTERS.length)]).join('');

/** One part, in characters that every network has. */
export const loopText = (nonce: string): string =>
  `Loop test ${nonce}: this text checks two phones, ignore it.`;

/** The next time that it is this UTC hour. */
export function nextNightAt(now: Date, hour: number): Date {
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const today = midnight + hour * HOUR_MS;
  return new Date(today > now.getTime() ? today : today + DAY_MS);
}

export const CHECK_EVERY_MS = 3 * SECOND_MS;
