import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { NonOverlappingInterval } from '../../common/non-overlapping-job';
import { ImportRunner } from './import-runner.service';

/** Safe to run in several processes. */
@Injectable()
export class ImportsScheduler {
  constructor(private readonly runner: ImportRunner) {}

  @NonOverlappingInterval(10 * SECOND_MS)
  runDue(): Promise<void> {
    return this.runner.runDue();
  }
}
