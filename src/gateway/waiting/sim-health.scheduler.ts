import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { SimHealthService } from '../../devices/sims/health/sim-health.service';

const SWEEP_INTERVAL_MS = 10_000;
const SWEEP_LIMIT = 500;

/** Counts deliveries and canaries that have timed out. Safe to run in several processes. */
@Injectable()
export class SimHealthScheduler {
  private readonly sweeping = new NonOverlappingJob(SimHealthScheduler.name);

  constructor(private readonly health: SimHealthService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.health.expireDue(SWEEP_LIMIT));
  }
}
