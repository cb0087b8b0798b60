import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { HOUR_MS } from '../../../common/durations';
import { DeviceNotFound } from '../../../devices/store/devices.errors';
import { DevicesRepository } from '../../../devices/store/devices.repository';
import { TotalsRepository } from '../../../totals/totals.repository';
import { COUNT_KINDS, type CountKind, dayCountsId } from '../../../totals/totals.schema';

export const SERIES_BUCKETS = ['hour', 'day'] as const;
export type SeriesBucket = (typeof SERIES_BUCKETS)[number];

export interface SeriesQuery {
  /** The starts of all buckets and the end of the last one, ascending, in milliseconds since 1970. */
  readonly bounds: readonly number[];
  readonly device?: Types.ObjectId;
}

/** The counts of a bucket without messages. */
export const NO_COUNTS: Readonly<Record<CountKind, number>> = {
  received: 0,
  sent: 0,
  delivered: 0,
  failed: 0,
  cancelled: 0,
  suppressed: 0,
};

/** How many messages were counted in the bucket that starts at `at`. */
export type SeriesPoint = Readonly<Record<CountKind, number>> & { readonly at: Date };

@Injectable()
export class SeriesService {
  constructor(
    private readonly totals: TotalsRepository,
    private readonly devices: DevicesRepository,
  ) {}

  /** @returns one point for each bucket, oldest first. @throws DeviceNotFound */
  async read(account: AccountScope, query: SeriesQuery): Promise<SeriesPoint[]> {
    const { bounds, device } = query;
    if (device && !(await this.devices.find(account, device))) throw new DeviceNotFound();
    const owner = device ?? account.user;
    const hours = bounds.map(toHour);
    const from = new Date(hours[0] ?? 0);
    const to = new Date(hours.at(-1) ?? 0);
    const { through, lastPeriod = [] } = await this.totals.find(account);
    const openFrom = through > from ? through : from;
    const [days, open] = await Promise.all([
      this.totals.listDays(owner, from, to),
      openFrom < to ? this.totals.countAll(account, openFrom, to) : [],
    ]);
    // Another period was closed meanwhile.
    if (days.some((day) => day.through > through)) return this.read(account, query);

    const points = bounds.slice(0, -1).map((start) => ({
      at: new Date(start),
      ...NO_COUNTS,
    }));
    const add = (hourMs: number, kind: CountKind, count: number): void => {
      const point = points[lastIndexUpTo(hours, hourMs)];
      if (point) point[kind] += count;
    };
    for (const day of days) {
      const dayMs = Date.parse(day._id.slice(day._id.indexOf(':') + 1));
      for (const kind of COUNT_KINDS)
        for (const [hour, count] of Object.entries(day.counts[kind] ?? {}))
          add(dayMs + Number(hour) * HOUR_MS, kind, count);
    }
    const complete = new Set(days.filter((day) => day.through >= through).map(({ _id }) => _id));
    const last = lastPeriod.filter(({ hour }) => !complete.has(dayCountsId(owner, hour)));
    for (const { device: of, hour, kind, count } of [...last, ...open])
      if (!device || of?.equals(device)) add(hour.getTime(), kind, count);
    return points;
  }
}

/** The first whole hour that counts for a bucket which starts at this time: hours of which half is earlier do. */
const toHour = (time: number): number => Math.ceil((time - HOUR_MS / 2) / HOUR_MS) * HOUR_MS;

/** @returns -1 when all are higher. */
function lastIndexUpTo(ascending: readonly number[], value: number): number {
  let [low, high] = [-1, ascending.length];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((ascending[middle] ?? Infinity) <= value) low = middle;
    else high = middle;
  }
  return low;
}
