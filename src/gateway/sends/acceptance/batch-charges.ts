import { chargesByDay, chargesOf, type DayCharge } from '../../../billing/usage/day-charge';
import { periodOf } from '../../../billing/usage/usage-period';
import type { Batch } from '../../../messages/batch.schema';
import type { ValidatedSend } from '../../send-input/send-validation';

/** The plan usage of a send, by the UTC day on which each message is due. */
export function chargesOfSend({ entries }: ValidatedSend, now: Date): DayCharge[] {
  return chargesByDay(
    entries.map(({ scheduledAt, recipients }) => ({ at: scheduledAt ?? now, count: recipients.length })),
  );
}

/** The charges a batch stores. @returns undefined if all are on the day of the request. */
export function chargedDays(charges: readonly DayCharge[], now: Date): Batch['chargedDays'] {
  const { day: today } = periodOf(now);
  if (charges.every(({ day }) => day === today)) return undefined;
  return Object.fromEntries(charges.map(({ day, count }) => [day, count]));
}

export function chargesOfBatch(
  batch: Pick<Batch, 'chargedDays' | 'recipientCount' | 'createdAt'>,
): DayCharge[] {
  if (batch.chargedDays) return chargesOf(batch.chargedDays);
  return [{ day: periodOf(batch.createdAt).day, count: batch.recipientCount }];
}

/** The charges of a batch, less those of messages that were cancelled, or not sent to blocked recipients. */
export function remainingCharges(
  batch: Pick<Batch, 'chargedDays' | 'recipientCount' | 'createdAt' | 'cancelledCount' | 'suppressedCount'>,
): DayCharge[] {
  const { chargedDays, recipientCount, cancelledCount = 0, suppressedCount = 0 } = batch;
  if (chargedDays) return chargesOf(chargedDays);
  return [{ day: periodOf(batch.createdAt).day, count: recipientCount - cancelledCount - suppressedCount }];
}

/** The charges of some messages of a batch. @param byWave number of messages per wave. */
export function chargesOfWaves(batch: Batch, byWave: ReadonlyMap<number, number>): DayCharge[] {
  const { groups, chargedDays, createdAt } = batch;
  const waves = [...byWave].sort(([one], [other]) => one - other);
  // Both are in the order of their waves, so that none is searched for: there may be 10,000 of each.
  let next = 0;
  return chargesByDay(
    waves.map(([wave, count]) => {
      while (next < groups.length - 1 && wave >= (groups[next + 1]?.firstWave ?? Infinity)) next += 1;
      return { at: (chargedDays && groups[next]?.scheduledAt) ?? createdAt, count };
    }),
  );
}
