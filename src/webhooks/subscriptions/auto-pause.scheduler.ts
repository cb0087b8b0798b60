import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { AutoPauseService } from './auto-pause.service';

const INTERVAL_MS = 60_000;

/** Pauses subscriptions that keep failing. Idempotent: may run in several processes. */
@Injectable()
export class AutoPauseScheduler {
  private readonly job = new NonOverlappingJob(AutoPauseService.name);

  constructor(private readonly autoPause: AutoPauseService) {}

  @Interval(INTERVAL_MS)
  pauseFailing(): Promise<void> {
    return this.job.run(() => this.autoPause.pauseFailing());
  }
}
