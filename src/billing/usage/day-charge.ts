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
  const days = new Map<string, number>();
  for (const { at, count } of messages) {
    const { day } = periodOf(at);
    days.set(day, (days.get(day) ?? 0) + count);
  }
  return [...days]
    .map(([day, count]) => ({ day, count }))
    .sort((one, other) => (one.day < other.day ? -1 : 1));
}

/** Sums charges of the same day. */
export function mergeCharges(charges: readonly DayCharge[]): DayCharge[] {
  return [...groupBy(charges, ({ day }) => day)].map(([day, ofDay]) => ({ day, count: sumOf(ofDay) }));
}

export const chargesOf = (days: Record<string, number> = {}): DayCharge[] =>
  Object.entries(days).map(([day, count]) => ({ day, count }));

export const sumOf = (charges: readonly Pick<DayCharge, 'count'>[]): number =>
  charges.reduce((sum, { count }) => sum + count, 0);

/** Usage of a UTC day, counted and reserved. */
export function usedOn(usage: UsedCounts | null, day: string): number {
  return (usage?.day === day ? usage.dayCount : 0) + (usage?.days?.[day] ?? 0);
}

/** Usage of a UTC month, counted and reserved. */
export function usedIn(usage: UsedCounts | null, month: string): number {
  const reserved = Object.entries(usage?.days ?? {}).filter(([day]) => monthOf(day) === month);
  return (
    (usage?.month === month ? usage.monthCount : 0) + reserved.reduce((sum, [, count]) => sum + count, 0)
  );
}
