import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts/accounts.repository';
import { DAY_MS, SECOND_MS } from '../common/durations';
import { formatError } from '../common/format-error';
import { ContactRecovery } from '../contacts/contact-recovery.service';
import { type AcquiredLease, Leases } from '../infrastructure/mongo/leases.service';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { DeliveryRetention } from '../webhooks/deliveries/delivery-retention.service';
import { MAINTENANCE_JOBS, type MaintenanceJobName } from './maintenance-jobs';
import { MessageRetention } from './retention/message-retention.service';
import { TotalsService } from '../totals/totals.service';

/** Another process starts the job of one that has died or stalled for this long; then both may run it. */
const LEASE_MS = 30 * SECOND_MS;
const ACCOUNTS_PER_PAGE = 200;

/** A job for each account. `since` and `now` are times of the database. */
interface MaintenanceJob {
  readonly intervalMs: number;
  /** Lists those of these accounts that need the job; by default all. */
  listActive?(users: readonly Types.ObjectId[], since: Date, now: Date): Promise<Types.ObjectId[]>;
  /** Can be repeated and run concurrently. */
  maintain(account: AccountScope, now: Date): Promise<unknown>;
}

/** Runs the maintenance jobs that are due. They do not wait for each other: the first retention of a large account takes long. */
@Injectable()
export class MaintenanceScheduler {
  private readonly logger = new Logger(MaintenanceScheduler.name);
  private readonly jobs: Readonly<Record<MaintenanceJobName, MaintenanceJob>>;

  constructor(
    totals: TotalsService,
    messages: MessageRetention,
    deliveries: DeliveryRetention,
    contacts: ContactRecovery,
    private readonly accounts: AccountsRepository,
    private readonly leases: Leases,
  ) {
    this.jobs = {
      rollups: totals,
      'message-retention': messages,
      'delivery-retention': deliveries,
      'contact-recovery': contacts,
    };
  }

  /** Not awaited, so that the next run begins although a job of this one takes long. */
  @Sweep(10 * SECOND_MS)
  startDue(): Promise<void> {
    void this.runDue();
    return Promise.resolve();
  }

  async runDue(): Promise<void> {
    const runs = MAINTENANCE_JOBS.map((name) =>
      this.leases
        .run(name, LEASE_MS, (lease) => this.run(name, lease))
        .catch((failure: unknown) => {
          this.logger.error(`${name} failed and is retried within a minute: ${formatError(failure)}`);
        }),
    );
    await Promise.all(runs);
  }

  /** An account that fails does not stop the others. Message retention, at the latest, also closes its totals again. */
  private async run(name: MaintenanceJobName, lease: AcquiredLease): Promise<void> {
    const job = this.jobs[name];
    const { acquiredAt: now, lastAcquiredAt: since = new Date(now.getTime() - DAY_MS) } = lease;
    let page: Types.ObjectId[] = [];
    do {
      page = await this.accounts.listIdsAfter(page.at(-1), ACCOUNTS_PER_PAGE);
      for (const user of (await job.listActive?.(page, since, now)) ?? page) {
        if (!lease.isHeld()) return;
        await job.maintain(accountScope(user), now).catch((failure: unknown) => {
          this.logger.error(
            `${name} of account ${user.toHexString()} failed and is retried by the next run, an hour later at most; ` +
              `if it fails again, repair the data that the error names: ${formatError(failure)}`,
          );
        });
      }
    } while (page.length > 0);
    lease.holdOffFor(job.intervalMs);
  }
}
