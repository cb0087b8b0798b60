import { chargesByDay, chargesOf, type DayCharge } from '../billing/day-charge';
import { periodOf } from '../billing/usage-period';
import type { Batch } from '../messages/batch.schema';
import type { SendOrder } from './send-order';

/** What a send takes of the plan: each message of the UTC day it goes out. */
export function chargesOfOrder({ entries }: SendOrder, now: Date): DayCharge[] {
  return chargesByDay(
    entries.map(({ scheduledAt, recipients }) => ({ at: scheduledAt ?? now, count: recipients.length })),
  );
}

/** What a batch stores of its charges. @returns undefined where all is charged to the day it was requested on. */
export function chargedDays(charges: readonly DayCharge[], now: Date): Batch['chargedDays'] {
  const { day: today } = periodOf(now);
  if (charges.every(({ day }) => day === today)) return undefined;
  return Object.fromEntries(charges.map(({ day, count }) => [day, count]));
}

/** What a batch was charged as a whole. */
export function chargesOfBatch(
  batch: Pick<Batch, 'chargedDays' | 'recipientCount' | 'createdAt'>,
): DayCharge[] {
  if (batch.chargedDays) return chargesOf(batch.chargedDays);
  return [{ day: periodOf(batch.createdAt).day, count: batch.recipientCount }];
}

/** What so many messages of each wave were charged. */
export function chargesOfWaves(batch: Batch, byWave: ReadonlyMap<number, number>): DayCharge[] {
  return chargesByDay(
    [...byWave].map(([wave, count]) => {
      const group = batch.groups.find(
        ({ firstWave, waves }) => wave >= firstWave && wave < firstWave + waves,
      );
      return { at: (batch.chargedDays && group?.scheduledAt) ?? batch.createdAt, count };
    }),
  );
}
