import { Injectable } from '@nestjs/common';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { DispatchRepository } from '../messages/dispatch.repository';
import { chargesOfBatch } from './batch-charges';

/** A send that takes longer than this to be accepted is given up. */
export const ACCEPTING_LIMIT_MS = 15_000;

/** Takes back sends that were not accepted: nothing of them goes out, and the allowance says so. */
@Injectable()
export class AbandonmentService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly messages: DispatchRepository,
    private readonly billing: BillingService,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives a send up, unless it was accepted meanwhile. From the first write on its late finisher fails; every step
   * can be repeated, and whoever dies in between leaves the rest to the sweeper.
   */
  async abandon(batch: Batch): Promise<void> {
    if (!(await this.batches.abandon(batch, this.clock.now()))) return;
    await this.takeBack(batch);
    await this.batches.remove(batch);
  }

  /** Removes the messages of an abandoned send and releases its reservation. */
  async takeBack(batch: Batch): Promise<void> {
    await this.messages.removeBatch(batch._id);
    await this.billing.release(batch, { batch: batch._id, charges: chargesOfBatch(batch) });
  }
}
