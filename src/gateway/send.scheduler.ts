import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { Sweep } from '../common/sweep';
import { BatchesRepository } from '../messages/batches.repository';
import { ACCEPTING_LIMIT_MS, AbandonmentService } from './abandonment.service';
import { CancellationService } from './cancellation.service';

const SWEEP_EVERY_MS = 5_000;
const MOST_AT_ONCE = 100;

/** A cancel that takes longer than this has died. */
const CANCELLING_LIMIT_MS = 15_000;

/** Finishes what died half-way: sends that stayed `accepting`, and cancels. Safe to run in every process at once. */
@Injectable()
export class SendScheduler {
  private readonly sweeping = new Sweep(SendScheduler.name);

  constructor(
    private readonly batches: BatchesRepository,
    private readonly abandonment: AbandonmentService,
    private readonly cancellation: CancellationService,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      const now = this.clock.now().getTime();
      const dead = await this.batches.listUnsettled(new Date(now - ACCEPTING_LIMIT_MS), MOST_AT_ONCE);
      for (const batch of dead) await this.abandonment.abandon(batch);
      const half = await this.batches.listCancelling(new Date(now - CANCELLING_LIMIT_MS), MOST_AT_ONCE);
      for (const batch of half) await this.cancellation.complete(batch);
    });
  }
}
