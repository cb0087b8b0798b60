import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { WaitingReview } from './waiting-review.service';

const SWEEP_INTERVAL_MS = 5_000;

@Injectable()
export class WaitingReviewScheduler {
  private readonly sweeping = new NonOverlappingJob(WaitingReviewScheduler.name);

  constructor(private readonly review: WaitingReview) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.review.settleAbandoned();
      await this.review.reviewChanged();
    });
  }
}
