import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { DAY_MS, HOUR_MS } from '../../common/durations';
import { DeviceNotFound } from '../../devices/devices.errors';
import { DevicesRepository } from '../../devices/devices.repository';
import { TotalsService } from '../../maintenance/rollups/totals.service';
import type { CountKind } from '../../maintenance/rollups/totals.schema';

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
    private readonly totals: TotalsService,
    private readonly devices: DevicesRepository,
  ) {}

  /** @returns one point for each bucket, oldest first. @throws DeviceNotFound */
  async read(account: AccountScope, { from, to, bucket, device }: SeriesQuery): Promise<SeriesPoint[]> {
    if (device && !(await this.devices.find(account, device))) throw new DeviceNotFound();
    const bucketMs = BUCKET_MS[bucket];
    const points = Array.from({ length: (to.getTime() - from.getTime()) / bucketMs }, (_, index) => ({
      at: new Date(from.getTime() + index * bucketMs),
      ...emptyCounts(),
    }));
    await this.totals.readHours(
      account,
      device ?? account.user,
      { from, to, isDaily: bucket === 'day' },
      (hourMs, kind, count) => {
        const point = points[Math.floor((hourMs - from.getTime()) / bucketMs)];
        if (point) point[kind] += count;
      },
    );
    return points;
  }
}

const emptyCounts = (): Record<CountKind, number> => ({ received: 0, sent: 0, delivered: 0, failed: 0 });
