import { Injectable } from '@nestjs/common';
import { accountScope } from '../../../auth/account-scope';
import { BillingService } from '../../../billing/billing.service';
import { Clock } from '../../../common/clock';
import { Batch } from '../../../messages/batch.schema';
import { BatchesRepository } from '../../../messages/batches.repository';
import { MessagesRepository } from '../../../messages/messages.repository';
import { LaneTimelines } from '../../senders/lane-timelines.service';
import { chargesOfBatch } from './batch-charges';

/** A send that is not accepted within this time is rolled back. */
export const ACCEPTANCE_TIMEOUT_MS = 15_000;

@Injectable()
export class SendRollbackService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: MessagesRepository,
    private readonly timelines: LaneTimelines,
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  /**
   * Abandons a send unless it has been accepted meanwhile. After the first write it can no longer be accepted. Every
   * step is idempotent; `BatchRecoveryScheduler` completes a rollback that was interrupted.
   */
  async abandon(batch: Batch): Promise<void> {
    const abandoned = await this.batches.abandon(batch, this.clock.now());
    if (!abandoned) return;
    await this.rollBack(abandoned);
    await this.batches.remove(abandoned);
  }

  /** Removes the messages of an abandoned send, and releases its time on its lanes and its plan usage. */
  async rollBack(batch: Batch): Promise<void> {
    await this.messages.removeOfBatch(batch);
    for (const group of batch.groups) {
      const { startAt, durationMs } = group;
      if (startAt && durationMs !== undefined)
        await this.timelines.release(batch, group, startAt, durationMs);
    }
    await this.billing.release(accountScope(batch.user), {
      batch: batch._id,
      charges: chargesOfBatch(batch),
    });
  }
}
