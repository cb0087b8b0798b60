import type { RadioState } from '../radio-driver';
import type { FailureReason } from '../sent-ledger';
import { isRecord } from '../wire';

/** @returns what the app knows of a message of one recipient; undefined for an answer without a state. */
export function stateOfMessage(body: unknown): RadioState | undefined {
  if (!isRecord(body)) return undefined;
  const { state } = body;
  if (typeof state !== 'string') return undefined;
  const times = isRecord(body.states) ? body.states : {};
  const at = timeOf(times[state]) ?? Date.now();
  const sentAt = timeOf(times.Sent);
  switch (state) {
    case 'Sent':
      return { state: 'sent', at, isConfirmed: true };
    case 'Delivered':
      return { state: 'delivered', sentAt: sentAt ?? at, at };
    case 'Failed':
      return sentAt === undefined
        ? { state: 'failed', at, reason: reasonIn(body) }
        : { state: 'undelivered', sentAt, at, reason: reasonIn(body) };
    case 'Cancelled':
      return { state: 'failed', at, reason: { code: 'CANCELLED', text: 'Cancelled in the app' } };
    // Pending, Processed, Cancelling, and what later versions may add.
    default:
      return { state: 'waiting' };
  }
}

/** Texts of the app, and the codes of them in reports. */
const CODES = [
  [/TTL expired/i, 'EXPIRED'],
  [/SIM \d+ not found|SIM selection requires/i, 'SIM_NOT_FOUND'],
  [/SEND_SMS|SecurityException/, 'PERMISSION_DENIED'],
  [/Delivery result from SC/i, 'DELIVERY_FAILED'],
] as const;

function reasonIn(body: Readonly<Record<string, unknown>>): FailureReason {
  const recipient: unknown = Array.isArray(body.recipients) ? body.recipients[0] : undefined;
  const error = isRecord(recipient) && typeof recipient.error === 'string' ? recipient.error : '';
  const [result] = /RESULT_[A-Z_]+/.exec(error) ?? [];
  const known = CODES.find(([pattern]) => pattern.test(error));
  return { code: result ?? known?.[1] ?? '1', text: error === '' ? 'The app gives no reason' : error };
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
