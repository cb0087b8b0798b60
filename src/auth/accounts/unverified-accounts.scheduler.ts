import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../../common/clock';
import { NonOverlappingJob } from '../../common/non-overlapping-job';
import { AccountsRepository } from './accounts.repository';

const SWEEP_INTERVAL_MS = 5 * 60_000;

/** Removes accounts that were not verified within a day. Safe to run in several processes at the same time. */
@Injectable()
export class UnverifiedAccountsScheduler {
  private readonly logger = new Logger(UnverifiedAccountsScheduler.name);
  private readonly sweeping = new NonOverlappingJob(UnverifiedAccountsScheduler.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  @Interval(SWEEP_INTERVAL_MS)
  sweep(): Promise<void> {
    return this.sweeping.run(async () => {
      const count = await this.accounts.removeUnverified(this.clock.now());
      if (count > 0) this.logger.log(`Removed ${count} accounts that were not verified within a day`);
    });
  }
}
