import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { SECOND_MS } from '../common/durations';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { BatchesRepository } from '../messages/batches.repository';
import { AutoReplySender } from './suppressions/auto-reply-sender.service';
import { BatchChanges } from './batches/batch-changes.service';
import { CancellationRunner } from './cancellation/cancellation-runner.service';
import { ACCEPTANCE_TIMEOUT_MS, SendRollbackService } from './sends/acceptance/send-rollback.service';

const MAX_BATCHES = 100;
const MAX_REPLIES = 20;

const CANCELLATION_TIMEOUT_MS = 15 * SECOND_MS;

/**
 * Rolls back sends, completes cancellations and changes of batches, and sends automatic replies, of dead processes. Safe to run in several
 * processes.
 */
@Injectable()
export class BatchRecoveryScheduler {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly rollback: SendRollbackService,
    private readonly cancellations: CancellationRunner,
    private readonly changes: BatchChanges,
    private readonly replies: AutoReplySender,
    private readonly clock: Clock,
  ) {}

  @Sweep(5 * SECOND_MS)
  async sweep(): Promise<void> {
    const now = this.clock.now().getTime();
    const unaccepted = await this.batches.listUnaccepted(new Date(now - ACCEPTANCE_TIMEOUT_MS), MAX_BATCHES);
    for (const batch of unaccepted) await this.rollback.abandon(batch);
    const cancelled = await this.cancellations.listInterrupted(
      new Date(now - CANCELLATION_TIMEOUT_MS),
      MAX_BATCHES,
    );
    for (const batch of cancelled) await this.cancellations.complete(batch);
    for (const batch of await this.changes.listInterrupted(MAX_BATCHES)) await this.changes.complete(batch);
    await this.replies.sendDue(MAX_REPLIES);
  }
}
