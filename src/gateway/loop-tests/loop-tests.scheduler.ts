import { Injectable } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { LoopTestRunner } from './loop-test-runner.service';
import { LoopTestsService } from './loop-tests.service';

/** At most this many in one run. */
const MAX_RUNS = 200;

/** Safe to run in several processes. */
@Injectable()
export class LoopTestsScheduler {
  constructor(
    private readonly tests: LoopTestsService,
    private readonly runner: LoopTestRunner,
  ) {}

  @Sweep(5 * SECOND_MS)
  check(): Promise<void> {
    return this.runner.checkDue(MAX_RUNS);
  }

  @Sweep(MINUTE_MS)
  startNightly(): Promise<void> {
    return this.tests.startNightly();
  }
}
