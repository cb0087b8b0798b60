import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { HeartbeatCheckService } from './heartbeat-check.service';

const SWEEP_INTERVAL_MS = 60_000;
const SWEEP_LIMIT = 5_000;

@Injectable()
export class HeartbeatCheckScheduler {
  private readonly sweeping = new NonOverlappingJob(HeartbeatCheckScheduler.name);

  constructor(private readonly heartbeatChecks: HeartbeatCheckService) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      await this.heartbeatChecks.checkUnresponsive(SWEEP_LIMIT);
    });
  }
}
