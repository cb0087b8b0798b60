import { Injectable, OnModuleDestroy } from '@nestjs/common';
import type { Types } from 'mongoose';
import { SECOND_MS } from '../../common/durations';
import { JobLeasesRepository, type LeasedJob } from './job-leases.repository';

/** Another process continues the job of one that has died or stalled for this long; then both may run the same step. */
const LEASE_MS = 30 * SECOND_MS;

/** A job for the whole installation, in idempotent steps over documents in the order of their ids. */
export interface ScheduledJob {
  readonly name: string;
  readonly intervalMs: number;
  /**
   * Processes the documents after the id `after`, or the first ones.
   * @returns the last id processed; undefined at the end.
   */
  readonly step: (
    job: Pick<LeasedJob, 'startedAt' | 'completedAt' | 'after'>,
  ) => Promise<Types.ObjectId | undefined>;
}

/** Runs scheduled jobs, normally in one process at a time. If it dies, another process continues after the lease expires. */
@Injectable()
export class ScheduledJobs implements OnModuleDestroy {
  private readonly created = new Set<string>();
  private isStopping = false;

  constructor(private readonly leases: JobLeasesRepository) {}

  /** Runs the job if it is due and no other process runs it. */
  async run({ name, intervalMs, step }: ScheduledJob): Promise<void> {
    if (!this.created.has(name)) await this.leases.create(name);
    this.created.add(name);
    const job = await this.leases.acquire(name, LEASE_MS);
    if (!job) return;
    const renewal = setInterval(() => {
      this.leases.renew(job, LEASE_MS).catch(() => undefined);
    }, LEASE_MS / 3);
    try {
      let { after } = job;
      do {
        after = await step({ startedAt: job.startedAt, completedAt: job.completedAt, after });
        if (after && !(await this.leases.advance(job, after, LEASE_MS))) return;
      } while (after && !this.isStopping);
      if (!after) await this.leases.complete(job, intervalMs);
    } finally {
      clearInterval(renewal);
      await this.leases.release(job);
    }
  }

  /** Makes all jobs due now. */
  makeAllDue(): Promise<void> {
    return this.leases.makeAllDue();
  }

  onModuleDestroy(): void {
    this.isStopping = true;
  }
}
