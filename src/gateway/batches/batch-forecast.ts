import { groupsOf } from '../../common/group-by';
import { sum } from '../../common/sum';
import type { Device } from '../../devices/store/device.schema';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { Batch } from '../../messages/batch.schema';
import { type OutgoingStatus } from '../../messages/message-status';
import { partsOf } from '../../messages/text/segments';
import { laneKey, laneMessageMs, laneOf } from '../senders/lane';
import type { MessageTally } from './batch-views.repository';

/** How many messages are in each state. */
export type StateCounts = Readonly<Record<OutgoingStatus, number>>;

type Tally = Pick<MessageTally, 'status' | 'count'>;

/** Messages that wait, with what carries them and when they are due. */
export type WaitingTally = Tally &
  Pick<MessageTally, 'device' | 'sim' | 'reason' | 'until' | 'firstDueAt' | 'lastDueAt'>;

/** Counts messages by state. Those stored before states were known count as `unknown`. */
export function countStates(tallies: readonly Tally[]): StateCounts {
  const counts = { pending: 0, dispatched: 0, sent: 0, delivered: 0, failed: 0, unknown: 0 };
  for (const { status = 'unknown', count } of tallies) if (status !== 'received') counts[status] += count;
  return counts;
}

/** Whether messages wait on the server, and not for an event without a time. */
export const isLeaving = ({ status, reason, until }: WaitingTally): boolean =>
  status === 'pending' && (reason === undefined || until !== undefined);

/**
 * Forecasts when the last of these messages is sent: those of each phone, or SIM with a pace of its own, follow each other
 * from the first that is due, and none is sent before it is due. Different texts count as one part each.
 * @param waiting as `isLeaving` tells.
 * @returns undefined if there are none.
 */
export function forecastBatch(
  batch: Pick<Batch, 'message' | 'encryptedMessage'>,
  waiting: readonly WaitingTally[],
  known: { readonly devices: readonly Device[]; readonly sims: readonly SimRecord[] },
  now: Date,
): Date | undefined {
  const { message = '', encryptedMessage } = batch;
  const parts = partsOf({ message, encryptedMessage });
  const carried = waiting.flatMap((tally) => {
    const device = known.devices.find(({ _id }) => _id.equals(tally.device));
    const sim = tally.sim && known.sims.find(({ _id }) => _id.equals(tally.sim ?? ''));
    return device ? [{ tally, device, ...(sim && { sim }) }] : [];
  });
  const ends = groupsOf(carried, (each) => laneKey(laneOf(each))).map((lane) => {
    const dueTimes = lane.map(({ tally }) => tally.until ?? tally.firstDueAt ?? now);
    const start = Math.max(now.getTime(), Math.min(...dueTimes.map(Number)));
    const lengthMs = sum(lane, (each) => each.tally.count * laneMessageMs(parts, each));
    const lastDue = lane.map(({ tally }) =>
      Math.max(Number(tally.lastDueAt ?? now), Number(tally.until ?? now)),
    );
    return Math.max(start + lengthMs, ...lastDue);
  });
  return ends.length > 0 ? new Date(Math.max(...ends)) : undefined;
}
