import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../../common/clock';
import { NonOverlappingJob } from '../../../common/non-overlapping-job';
import { BatchesRepository } from '../../../messages/batches.repository';
import { ACCEPTANCE_TIMEOUT_MS, SendRollbackService } from './send-rollback.service';
import { BatchChanges } from '../../batches/batch-changes.service';
import { CancellationRunner } from '../../cancellation/cancellation-runner.service';

const SWEEP_INTERVAL_MS = 5_000;
const SWEEP_LIMIT = 100;

const CANCELLATION_TIMEOUT_MS = 15_000;

/** Rolls back sends, and completes cancellations and changes of batches, whose process died. Safe to run in several processes. */
@Injectable()
export class SendRecoveryScheduler {
  private readonly sweeping = new NonOverlappingJob(SendRecoveryScheduler.name);

  constructor(
    private readonly batches: BatchesRepository,
    private readonly rollback: SendRollbackService,
    private readonly cancellations: CancellationRunner,
    private readonly changes: BatchChanges,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      const now = this.clock.now().getTime();
      const unaccepted = await this.batches.listUnaccepted(
        new Date(now - ACCEPTANCE_TIMEOUT_MS),
        SWEEP_LIMIT,
      );
      for (const batch of unaccepted) await this.rollback.abandon(batch);
      const cancelling = await this.batches.listCancelling(
        new Date(now - CANCELLATION_TIMEOUT_MS),
        SWEEP_LIMIT,
      );
      for (const batch of cancelling) await this.cancellations.complete(batch);
      for (const batch of await this.changes.listInterrupted(SWEEP_LIMIT)) await this.changes.complete(batch);
    });
  }
}
