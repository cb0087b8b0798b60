import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { AccountTurns } from '../../auth/limits/account-turns.service';
import { Clock } from '../../common/clock';
import { DAY_MS, SECOND_MS } from '../../common/durations';
import { formatError } from '../../common/format-error';
import type { Import } from '../store/import.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import { type ClaimedImport, ImportsRepository } from '../store/imports.repository';
import { RowAppliers } from './row-appliers.service';

const ROWS_PER_STEP = 200;

/** Imports that are taken up at a time, of different accounts. */
const MAX_RUNS = 10;
const MAX_DUE = 100;

/** Another process takes up an import of which nothing was applied or undone for this long. */
const LEASE_MS = 30 * SECOND_MS;

/** Imports are removed with their rows, without which they cannot be undone. */
export const KEPT_DAYS = 30;

/** Applies the stored rows of imports, undoes them, and removes old ones, in steps that may be repeated. */
@Injectable()
export class ImportRunner implements OnModuleDestroy {
  private readonly logger = new Logger(ImportRunner.name);
  /** By the id of the import. */
  private readonly active = new Map<string, Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly appliers: RowAppliers,
    private readonly turns: AccountTurns,
    private readonly clock: Clock,
  ) {}

  /** Stops between two steps, and leaves the rest to another process. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await Promise.all(this.active.values());
  }

  /** Applies or undoes an import to its end, unless another process does. Never rejects: a later run goes on after a failure. */
  run(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const key = id.toHexString();
    const running = this.active.get(key);
    if (running) return running;
    const run = this.attempt(account, id).finally(() => this.active.delete(key));
    this.active.set(key, run);
    return run;
  }

  /**
   * Takes up what is due: imports that were interrupted, which go on after this call, and those to be removed. Safe to run in several
   * processes.
   */
  async runDue(): Promise<void> {
    for (const job of await this.imports.listDue(this.clock.now(), MAX_DUE)) {
      if (this.isStopping) return;
      if (job.state !== 'applying' && job.state !== 'undoing') await this.remove(job);
      else if (this.active.size < MAX_RUNS) void this.run(accountScope(job.user), job._id);
    }
  }

  private async attempt(account: AccountScope, id: Types.ObjectId): Promise<void> {
    try {
      await this.runToEnd(account, id);
    } catch (failure) {
      this.logger.error(
        `Import ${id.toHexString()} was interrupted and goes on in ${LEASE_MS / SECOND_MS} s: ${formatError(failure)}`,
      );
    }
  }

  private async runToEnd(account: AccountScope, id: Types.ObjectId): Promise<void> {
    const doPart = this.turns.parts(account);
    let job = await this.imports.claim(account, id, new Types.ObjectId(), this.times());
    while (job) {
      if (this.isStopping) return this.imports.release(job, this.clock.now());
      const current = job;
      job = await doPart(() => this.step(account, current));
    }
  }

  /** @returns the import after some rows; null at its end, or if another process has it. */
  private async step(account: AccountScope, job: ClaimedImport): Promise<ClaimedImport | null> {
    if (job.state === 'undoing') return this.undoStep(account, job);
    const rows = await this.rows.listFrom(job, job.appliedRows, ROWS_PER_STEP);
    const last = rows.at(-1);
    if (last) {
      const counts = await this.appliers.of(job).apply(account, job, rows);
      const applied = await this.imports.countApplied(job, last.row + 1, counts, this.times());
      // Not before a step, which may have been interrupted.
      return applied?.undoRequestedAt ? this.imports.turnToUndo(applied, this.times().until) : applied;
    }
    if (job.undoRequestedAt) return this.imports.turnToUndo(job, this.times().until);
    return this.end(account, job);
  }

  private async undoStep(account: AccountScope, job: ClaimedImport): Promise<ClaimedImport | null> {
    const rows = await this.rows.listBefore(job, job.rowsToUndo ?? 0, ROWS_PER_STEP);
    const last = rows.at(-1);
    if (!last) return this.end(account, job);
    const counts = await this.appliers.of(job).undo(account, job, rows);
    return this.imports.countUndone(job, last.row, counts, this.times());
  }

  /** @returns the import if its undo was asked for meanwhile. */
  private async end(account: AccountScope, job: ClaimedImport): Promise<ClaimedImport | null> {
    const now = this.clock.now();
    const removeAt = new Date(Math.max(now.getTime(), job.createdAt.getTime() + KEPT_DAYS * DAY_MS));
    await this.imports.end(job, { now, removeAt });
    const ended = await this.imports.find(account, job._id);
    return ended?.open && ended.claim?.equals(job.claim) ? Object.assign(ended, { claim: job.claim }) : null;
  }

  private async remove(job: Import): Promise<void> {
    try {
      // An upload whose process has died.
      if (job.state === 'reading' && !(await this.imports.giveUp(job, this.clock.now()))) return;
      await this.rows.removeAll(job);
      await this.imports.remove(job);
    } catch (failure) {
      this.logger.error(
        `Import ${job._id.toHexString()} was not removed, and is later: ${formatError(failure)}`,
      );
    }
  }

  private times() {
    const now = this.clock.now();
    return { now, until: new Date(now.getTime() + LEASE_MS) };
  }
}
