import type { mongo, Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import type { CountKind, HourlyCounts } from './totals.schema';

/** The number of messages of a device that were counted as `kind` in the hour that starts at `hour`. */
export interface HourCount {
  /** Absent for messages without a device: they are part of the totals of the account only. */
  readonly device?: Types.ObjectId;
  readonly kind: CountKind;
  readonly hour: Date;
  readonly count: number;
}

/** Times of the database: `from` inclusive, `to` exclusive. */
export interface CountedSpan {
  readonly from: Date;
  readonly to: Date;
}

/** Counts messages by device, kind, and the hour in which they were counted. */
export async function countByHour(
  messages: mongo.Collection,
  user: Types.ObjectId,
  { from, to }: CountedSpan,
  hint?: mongo.Hint,
): Promise<HourCount[]> {
  const count = async (time: 'countedAt' | 'finalCountedAt', kind: string): Promise<HourCount[]> => {
    const hour = { $dateTrunc: { date: `$${time}`, unit: 'hour' } };
    const found = await messages
      .aggregate<{ _id: Omit<HourCount, 'count'>; count: number }>(
        [
          { $match: { user, [time]: { $gte: from, $lt: to } } },
          { $group: { _id: { device: '$device', kind, hour }, count: { $sum: 1 } } },
        ],
        hint === undefined ? {} : { hint },
      )
      .toArray();
    return found.map((each) => ({ ...each._id, count: each.count }));
  };
  return (await Promise.all([count('countedAt', '$direction'), count('finalCountedAt', '$status')])).flat();
}

/** Groups counts by the hex id of the device, without those of messages that have none. */
export function byDevice<Count extends Pick<HourCount, 'device'>>(
  counts: readonly Count[],
): ReadonlyMap<string, Count[]> {
  const ofDevices = counts.filter(({ device }) => device);
  return groupBy(ofDevices, ({ device }) => String(device));
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
