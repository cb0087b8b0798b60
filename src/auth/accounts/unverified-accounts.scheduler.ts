import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { AccountsRepository } from './accounts.repository';

/** Removes accounts that were not verified within a day. Safe to run in several processes at the same time. */
@Injectable()
export class UnverifiedAccountsScheduler {
  private readonly logger = new Logger(UnverifiedAccountsScheduler.name);

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  @Sweep(5 * MINUTE_MS)
  async sweep(): Promise<void> {
    const count = await this.accounts.removeUnverified(this.clock.now());
    if (count > 0) this.logger.log(`Removed ${count} accounts that were not verified within a day`);
  }
}
