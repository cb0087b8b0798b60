import { DAY_MS, MINUTE_MS } from '../../common/durations';
import { ALL_TOPICS, type ConsentRecord } from '../records/consent-record.schema';

/** A number gets one reply of each kind in this time. Older texts get none, so that a repeated upload does not get a second one. */
export const REPLY_INTERVAL_MS = DAY_MS;

/** What a phone has not taken by then is not sent: nobody expects it any more. */
export const REPLY_VALIDITY_MS = 5 * MINUTE_MS;

/** Short codes and names of senders are answered by programs, or by nobody. */
export const isAnswerable = (number: string): boolean => /^\+\d{7,15}$/.test(number);

type Decided = Pick<ConsentRecord, '_id' | 'state' | 'topic' | 'at'>;

/**
 * Whether a decision changes what holds for its number: a STOP that blocks it, and a START that lifts a block.
 * @param latest the last decisions about the number, the latest first.
 */
export function changesState(decision: Decided, latest: readonly Decided[]): boolean {
  const [last, ...before] = latest;
  if (!last?._id.equals(decision._id)) return false;
  if (decision.state === 'out') {
    const previous = before.find(
      ({ state, topic }) => state === 'in' || topic === ALL_TOPICS || topic === decision.topic,
    );
    return previous?.state !== 'out';
  }
  // Of the same time, out wins.
  const [previous] = before;
  return previous !== undefined && previous.state !== 'in' && previous.at < decision.at;
}
