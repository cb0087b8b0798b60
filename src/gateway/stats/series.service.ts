import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { DAY_MS, HOUR_MS } from '../../common/durations';
import { DeviceNotFound } from '../../devices/devices.errors';
import { DevicesRepository } from '../../devices/devices.repository';
import { TotalsRepository } from '../../maintenance/rollups/totals.repository';
import { COUNT_KINDS, type CountKind, dayCountsId } from '../../maintenance/rollups/totals.schema';

export const SERIES_BUCKETS = ['hour', 'day'] as const;
export type SeriesBucket = (typeof SERIES_BUCKETS)[number];

export const BUCKET_MS: Readonly<Record<SeriesBucket, number>> = { hour: HOUR_MS, day: DAY_MS };

export interface SeriesQuery {
  /** Start of the first bucket. */
  readonly from: Date;
  /** End of the last bucket. */
  readonly to: Date;
  readonly bucket: SeriesBucket;
  readonly device?: Types.ObjectId;
}

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
    const { from, to, bucket, device } = query;
    if (device && !(await this.devices.find(account, device))) throw new DeviceNotFound();
    const owner = device ?? account.user;
    const { through, lastPeriod = [] } = await this.totals.find(account);
    const openFrom = through > from ? through : from;
    const [days, open] = await Promise.all([
      this.totals.listDays(owner, from, to),
      openFrom < to ? this.totals.countAll(account, openFrom, to) : [],
    ]);
    // Another period was closed meanwhile.
    if (days.some((day) => day.through > through)) return this.read(account, query);

    const bucketMs = BUCKET_MS[bucket];
    const points = Array.from({ length: (to.getTime() - from.getTime()) / bucketMs }, (_, index) => ({
      at: new Date(from.getTime() + index * bucketMs),
      ...{ received: 0, sent: 0, delivered: 0, failed: 0 },
    }));
    const add = (hourMs: number, kind: CountKind, count: number): void => {
      const point = points[Math.floor((hourMs - from.getTime()) / bucketMs)];
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
