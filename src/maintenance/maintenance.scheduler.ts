import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { accountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { DAY_MS, SECOND_MS } from '../common/durations';
import { formatError } from '../common/format-error';
import { NonOverlappingJob } from '../common/non-overlapping-job';
import { MaintenanceConfig } from '../config/sections/maintenance.config';
import { type ScheduledJob, ScheduledJobs } from './jobs/scheduled-jobs.service';
import { DeliveryRetention } from './retention/delivery-retention.service';
import { MessageRetention } from './retention/message-retention.service';
import type { Retention } from './retention/retention';
import { TotalsService } from './rollups/totals.service';

const CHECK_INTERVAL_MS = 10 * SECOND_MS;
const ACCOUNTS_PER_STEP = 20;

/** Runs the maintenance jobs that are due. */
@Injectable()
export class MaintenanceScheduler {
  private readonly logger = new Logger(MaintenanceScheduler.name);
  private readonly job = new NonOverlappingJob(MaintenanceScheduler.name);

  constructor(
    private readonly jobs: ScheduledJobs,
    private readonly totals: TotalsService,
    private readonly messages: MessageRetention,
    private readonly deliveries: DeliveryRetention,
    private readonly accounts: AccountsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  @Interval(CHECK_INTERVAL_MS)
  runDue(): Promise<void> {
    return this.job.run(async () => {
      await this.jobs.run(this.rollups());
      await this.jobs.run(this.retention('message-retention', this.messages));
      await this.jobs.run(this.retention('delivery-retention', this.deliveries));
    });
  }

  private rollups(): ScheduledJob {
    return {
      name: 'rollups',
      intervalMs: this.config.rollupPeriodSeconds * SECOND_MS,
      step: async ({ startedAt, completedAt }) => {
        const since = completedAt ?? new Date(startedAt.getTime() - DAY_MS);
        await this.totals.closeActive(since, startedAt);
        return undefined;
      },
    };
  }

  private retention(name: string, retention: Retention): ScheduledJob {
    return {
      name,
      intervalMs: retention.intervalMs,
      step: async ({ after, startedAt }) => {
        const users = await this.accounts.listIdsAfter(after, ACCOUNTS_PER_STEP);
        for (const user of users) {
          await retention.removeOld(accountScope(user), startedAt).catch((failure: unknown) => {
            this.logger.error(
              `${name} of account ${user.toHexString()} failed and is retried: ${formatError(failure)}`,
            );
          });
        }
        return users.length === ACCOUNTS_PER_STEP ? users.at(-1) : undefined;
      },
    };
  }
}
