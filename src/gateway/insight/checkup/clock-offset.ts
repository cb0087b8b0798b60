import { MINUTE_MS } from '../../../common/durations';
import type { RecentMessage } from './checkup.repository';

/** A clock that is off by less is right. */
const TOLERANCE_MS = MINUTE_MS;

/**
 * By how much the clock of a phone is certainly off, in milliseconds: positive if it is ahead, 0 if it may be right. A message left
 * between the time at which the service handed it over and the one at which the service knew of it; the phone says when. A text that was
 * uploaded before it arrived comes from a clock that is ahead.
 * @returns undefined if the message tells nothing.
 */
export function clockOffsetOf({
  direction,
  sentAt,
  dispatchedAt,
  settledAt,
  receivedAt,
  createdAt,
  isTimeReplaced,
}: RecentMessage): number | undefined {
  if (isTimeReplaced) return undefined;
  if (direction === 'received') {
    const ahead = receivedAt && receivedAt.getTime() - createdAt.getTime();
    return ahead !== undefined && ahead > TOLERANCE_MS ? ahead : undefined;
  }
  if (!sentAt || !dispatchedAt || !settledAt) return undefined;
  const ahead = sentAt.getTime() - settledAt.getTime();
  const behind = dispatchedAt.getTime() - sentAt.getTime();
  if (ahead > TOLERANCE_MS) return ahead;
  return behind > TOLERANCE_MS ? -behind : 0;
}
