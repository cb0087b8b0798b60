import { DAY_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import { periodOf } from './usage-period';
import type { Usage } from './usage.schema';

/** Messages charged to a UTC day, `2026-01-31`. */
export interface DayCharge {
  readonly day: string;
  readonly count: number;
}

type UsedCounts = Pick<Usage, 'day' | 'dayCount' | 'month' | 'monthCount' | 'days'>;

export const monthOf = (day: string): string => day.slice(0, 7);

/** Sums counts by UTC day, in order. */
export function chargesByDay(messages: Iterable<{ readonly at: Date; readonly count: number }>): DayCharge[] {
  const counts = new Map<number, number>();
  for (const { at, count } of messages) {
    const day = Math.floor(at.getTime() / DAY_MS);
    counts.set(day, (counts.get(day) ?? 0) + count);
  }
  return [...counts]
    .sort(([one], [other]) => one - other)
    .map(([day, count]) => ({ day: periodOf(new Date(day * DAY_MS)).day, count }));
}

/** Sums charges of the same day. */
export function mergeCharges(charges: readonly DayCharge[]): DayCharge[] {
  return [...groupBy(charges, ({ day }) => day)].map(([day, ofDay]) => ({ day, count: sumOf(ofDay) }));
}

export const chargesOf = (days: Record<string, number> = {}): DayCharge[] =>
  Object.entries(days).map(([day, count]) => ({ day, count }));

export const sumOf = (charges: readonly DayCharge[]): number =>
  charges.reduce((sum, { count }) => sum + count, 0);

/** Usage of a UTC day, with scheduled charges. */
export function usedOn(usage: UsedCounts | null, day: string): number {
  return (usage?.day === day ? usage.dayCount : 0) + (usage?.days?.[day] ?? 0);
}

/** Usage of a UTC month, with scheduled charges. */
export function usedIn(usage: UsedCounts | null, month: string): number {
  const scheduled = chargesOf(usage?.days).filter(({ day }) => monthOf(day) === month);
  return (usage?.month === month ? usage.monthCount : 0) + sumOf(scheduled);
}
