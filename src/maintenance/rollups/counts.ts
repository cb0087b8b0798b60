import type { mongo, Types } from 'mongoose';
import type { CountKind, HourlyCounts } from './totals.schema';

/** How often messages of a device were counted as `kind` in the hour from `hour`. */
export interface HourCount {
  readonly device: Types.ObjectId;
  readonly kind: CountKind;
  readonly hour: Date;
  readonly count: number;
}

/** Times of the database: `from` inclusive, `to` exclusive; without `to` up to now. */
export interface CountedSpan {
  readonly from: Date;
  readonly to?: Date;
}

/** Counts messages by device, kind and hour. */
export async function countHours(
  messages: mongo.Collection,
  condition: { readonly user: Types.ObjectId; readonly device?: unknown },
  { from, to }: CountedSpan,
  hint?: mongo.Hint,
): Promise<HourCount[]> {
  const count = async (time: 'countedAt' | 'finalCountedAt', kind: string): Promise<HourCount[]> => {
    const hour = { $dateTrunc: { date: `$${time}`, unit: 'hour' } };
    const found = await messages
      .aggregate<{ _id: Omit<HourCount, 'count'>; count: number }>(
        [
          { $match: { ...condition, [time]: { $gte: from, ...(to && { $lt: to }) } } },
          { $group: { _id: { device: '$device', kind, hour }, count: { $sum: 1 } } },
        ],
        hint === undefined ? {} : { hint },
      )
      .toArray();
    return found.map((each) => ({ ...each._id, count: each.count }));
  };
  return (await Promise.all([count('countedAt', '$direction'), count('finalCountedAt', '$status')])).flat();
}

export const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

/** Sums the counts of one kind. */
export const sumOf = (counts: readonly HourCount[], kind: CountKind): number =>
  counts.reduce((sum, each) => sum + (each.kind === kind ? each.count : 0), 0);

/** The counts as `Totals.days`. */
export function countsByDay(counts: readonly HourCount[]): Record<string, HourlyCounts> {
  const days: Record<string, HourlyCounts> = {};
  for (const { kind, hour, count } of counts) {
    const hours = ((days[dayOf(hour)] ??= {})[kind] ??= {});
    hours[hour.getUTCHours()] = (hours[hour.getUTCHours()] ?? 0) + count;
  }
  return days;
}

/** The same as increments, by path. */
export function dayIncrements(counts: readonly HourCount[]): Record<string, number> {
  const increments: Record<string, number> = {};
  for (const { kind, hour, count } of counts) {
    const path = `days.${dayOf(hour)}.${kind}.${hour.getUTCHours()}`;
    increments[path] = (increments[path] ?? 0) + count;
  }
  return increments;
}

/** Expands the counts of a kind to 24 numbers. */
export const hoursOf = (counts: HourlyCounts, kind: CountKind): number[] =>
  Array.from({ length: 24 }, (_, hour) => counts[kind]?.[hour] ?? 0);
