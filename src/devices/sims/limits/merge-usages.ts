import type { PeriodCount, SimUsage } from '../schemas/sim-usage.schema';
import { scheduled } from './admission';
import { PERIODS } from './calendar';

/** Enough for a merge that is repeated. */
const MAX_REMEMBERED_MERGES = 20;

/**
 * Adds the usage of a SIM that turned out to be the same card, with its open reservations.
 * @returns the same object if it was added before.
 */
export function mergeUsages(into: SimUsage, from: SimUsage, now: Date): SimUsage {
  if (into.merged?.some((id) => id.equals(from._id))) return into;
  const counts = PERIODS.map((period) => [period, sumOf(into[period], from[period])] as const);
  const { month } = Object.fromEntries(counts);
  const recipients: Record<string, number> = {};
  for (const usage of [into, from]) {
    if (usage.month?.start.getTime() !== month?.start.getTime()) continue;
    for (const [recipient, count] of Object.entries(usage.recipients ?? {}))
      recipients[recipient] = (recipients[recipient] ?? 0) + count;
  }
  return scheduled(
    {
      ...into,
      ...Object.fromEntries(counts.filter(([, count]) => count)),
      recipients,
      fullAt: Math.max(into.fullAt ?? 0, from.fullAt ?? 0),
      reservations: [...into.reservations, ...from.reservations],
      merged: [...(into.merged ?? []), from._id].slice(-MAX_REMEMBERED_MERGES),
    },
    now,
  );
}

/** The later of two periods; the sum if they are the same. */
function sumOf(one: PeriodCount | undefined, other: PeriodCount | undefined): PeriodCount | undefined {
  if (!one || !other) return one ?? other;
  const difference = one.start.getTime() - other.start.getTime();
  if (difference !== 0) return difference > 0 ? one : other;
  return { start: one.start, count: one.count + other.count };
}
