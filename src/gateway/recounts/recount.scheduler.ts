import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { Recounts } from '../../common/upkeep/recounts.service';
import { DeviceTotalsRecount } from './device-totals.recount';
import { UsageRecount } from './usage.recount';

const CHECK_INTERVAL_MS = 60_000;

/** Counts anew what is kept for speed, when it is time to. Safe to run in every process at once. */
@Injectable()
export class RecountScheduler {
  private readonly sweeping = new NonOverlappingJob(RecountScheduler.name);

  constructor(
    private readonly recounts: Recounts,
    private readonly deviceTotals: DeviceTotalsRecount,
    private readonly usage: UsageRecount,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.recounts.run(this.deviceTotals);
      await this.recounts.run(this.usage);
    });
  }
}
