import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Sweep } from '../../common/sweep';
import { Rounds } from '../../common/upkeep/rounds.service';
import { RetentionConfig } from '../../config/retention.config';
import { RetentionService } from './retention.service';

const LOOK_EVERY_MS = 60_000;
const ROUND_EVERY_MS = 3_600_000;

/** Removes messages that are older than they are to be kept. Safe to run in every process at once. */
@Injectable()
export class RetentionScheduler {
  private readonly sweeping = new Sweep(RetentionScheduler.name);

  constructor(
    private readonly config: RetentionConfig,
    private readonly retention: RetentionService,
    private readonly rounds: Rounds,
  ) {}

  @Interval(LOOK_EVERY_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      // Also when nothing is removed any more: what was begun must end.
      await this.retention.finishDead();
      if (this.config.messagesDays === 0) return;
      await this.rounds.run({
        name: 'retention:messages',
        everyMs: ROUND_EVERY_MS,
        step: (after) => this.retention.removeOldAfter(after),
      });
    });
  }
}
