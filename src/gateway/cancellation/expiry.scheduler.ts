import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { ExpiryService } from './expiry.service';

const SWEEP_INTERVAL_MS = 2_000;

@Injectable()
export class ExpiryScheduler {
  private readonly sweeping = new NonOverlappingJob(ExpiryScheduler.name);

  constructor(private readonly expiry: ExpiryService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.expiry.expireDue());
  }
}
