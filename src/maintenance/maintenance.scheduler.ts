import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../auth/account-scope';
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
const ACCOUNTS_PER_ROLLUP_STEP = 200;
const ACCOUNTS_PER_RETENTION_STEP = 20;

/**
 * Runs the maintenance jobs that are due, each on its own: the first retention of a large account takes long, and totals do not
 * wait for it.
 */
@Injectable()
export class MaintenanceScheduler {
  private readonly logger = new Logger(MaintenanceScheduler.name);
  private readonly runs: readonly (() => Promise<void>)[];

  constructor(
    jobs: ScheduledJobs,
    private readonly totals: TotalsService,
    messages: MessageRetention,
    deliveries: DeliveryRetention,
    private readonly accounts: AccountsRepository,
    private readonly config: MaintenanceConfig,
  ) {
    this.runs = [
      this.rollups(),
      this.retention('message-retention', messages),
      this.retention('delivery-retention', deliveries),
    ].map((job) => {
      const runner = new NonOverlappingJob(job.name);
      return () => runner.run(() => jobs.run(job));
    });
  }

  @Interval(CHECK_INTERVAL_MS)
  async runDue(): Promise<void> {
    await Promise.all(this.runs.map((run) => run()));
  }

  private rollups(): ScheduledJob {
    return {
      name: 'rollups',
      intervalMs: this.config.rollupPeriodSeconds * SECOND_MS,
      step: async ({ after, startedAt, completedAt }) => {
        const since = completedAt ?? new Date(startedAt.getTime() - DAY_MS);
        const users = await this.accounts.listIdsAfter(after, ACCOUNTS_PER_ROLLUP_STEP);
        const active = await this.totals.listActiveAccounts(users, since, startedAt);
        await this.forEach('rollups', active, (account) => this.totals.closeUntil(account, startedAt));
        return lastOfFullStep(users, ACCOUNTS_PER_ROLLUP_STEP);
      },
    };
  }

  private retention(name: string, retention: Retention): ScheduledJob {
    return {
      name,
      intervalMs: retention.intervalMs,
      step: async ({ after, startedAt }) => {
        const users = await this.accounts.listIdsAfter(after, ACCOUNTS_PER_RETENTION_STEP);
        await this.forEach(name, users, (account) => retention.removeOld(account, startedAt));
        return lastOfFullStep(users, ACCOUNTS_PER_RETENTION_STEP);
      },
    };
  }

  /** An account that fails does not stop the others. Message retention, at the latest, also closes its totals again. */
  private async forEach(
    job: string,
    users: readonly Types.ObjectId[],
    work: (account: AccountScope) => Promise<unknown>,
  ): Promise<void> {
    for (const user of users) {
      await work(accountScope(user)).catch((failure: unknown) => {
        this.logger.error(
          `${job} of account ${user.toHexString()} failed and is retried by the next run, an hour later at most; ` +
            `if it fails again, repair the data that the error names: ${formatError(failure)}`,
        );
      });
    }
  }
}

const lastOfFullStep = (users: readonly Types.ObjectId[], size: number): Types.ObjectId | undefined =>
  users.length === size ? users.at(-1) : undefined;
