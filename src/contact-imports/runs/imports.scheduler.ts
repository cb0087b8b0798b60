import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { ImportRunner } from './import-runner.service';

/** Safe to run in several processes. */
@Injectable()
export class ImportsScheduler {
  constructor(private readonly runner: ImportRunner) {}

  @Sweep(10 * SECOND_MS)
  runDue(): Promise<void> {
    return this.runner.runDue();
  }
}
