import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../common/non-overlapping-job';
import { ErasureService } from './erasure.service';

const SWEEP_INTERVAL_MS = 60_000;

/** Resumes erasures. Safe to run in several processes at the same time. */
@Injectable()
export class ErasureScheduler {
  private readonly sweeping = new NonOverlappingJob(ErasureScheduler.name);

  constructor(private readonly erasures: ErasureService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.erasures.resume());
  }
}
