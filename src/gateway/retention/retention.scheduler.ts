import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { Removals } from '../../common/upkeep/removals.service';
import { RetentionService } from './retention.service';

const CHECK_INTERVAL_MS = 60_000;

/** Removes messages that are older than they are to be kept. Safe to run in every process at once. */
@Injectable()
export class RetentionScheduler {
  private readonly sweeping = new NonOverlappingJob(RetentionScheduler.name);

  constructor(
    private readonly removals: Removals,
    private readonly messages: RetentionService,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(() => this.removals.run(this.messages));
  }
}
