import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { ConnectionCheckService } from './connection-check.service';

const SWEEP_INTERVAL_MS = 15_000;
const SWEEP_LIMIT = 5_000;

/** Schedules checks of connections. Safe to run in several processes. */
@Injectable()
export class ConnectionCheckScheduler {
  private readonly sweeping = new NonOverlappingJob(ConnectionCheckScheduler.name);

  constructor(private readonly checks: ConnectionCheckService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.checks.checkDue(SWEEP_LIMIT));
  }
}
