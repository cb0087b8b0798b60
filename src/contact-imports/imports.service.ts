import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { SECOND_MS } from '../common/durations';
import { pageOf, type Position } from '../messages/lists/message-cursor';
import { ImportNotFound, ImportRunning } from './store/import.errors';
import type { ImportOptions } from './staging/import-options';
import type { Import } from './store/import.schema';
import { ImportRowsRepository, type RefusedRow } from './store/import-rows.repository';
import { ImportsRepository } from './store/imports.repository';
import { ImportRunner } from './runs/import-runner.service';
import { FileStager } from './staging/file-stager.service';

/** A request waits for its import for this long. */
const WAIT_MS = 10 * SECOND_MS;

const MAX_SHOWN_REFUSALS = 20;
const REFUSED_PER_PAGE = 500;

export interface ImportPage {
  readonly imports: readonly Import[];
  readonly nextCursor: string | null;
}

/** The imports of files of an account. */
@Injectable()
export class Imports {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly rows: ImportRowsRepository,
    private readonly stager: FileStager,
    private readonly runner: ImportRunner,
    private readonly clock: Clock,
  ) {}

  /**
   * Imports a file. @returns the import, which is done, or goes on after ten seconds.
   * @throws ImportRunning, ImportFileUnreadable, ImportInterrupted, and what reading the bytes throws. Then nothing is imported.
   */
  async start(
    account: AccountScope,
    file: AsyncIterable<Uint8Array>,
    options: ImportOptions,
  ): Promise<Import> {
    const staged = await this.stager.stage(account, file, options);
    return this.runForAWhile(account, staged._id);
  }

  /** Lists imports, the latest first. */
  async list(
    account: AccountScope,
    { after, limit }: { readonly after?: Position; readonly limit: number },
  ): Promise<ImportPage> {
    const found = await this.imports.list(account, after, limit + 1);
    const { items: imports, nextCursor } = pageOf(found, limit, ({ createdAt }) => createdAt);
    return { imports, nextCursor };
  }

  /** @throws ImportNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<Import> {
    const found = await this.imports.find(account, id);
    if (!found) throw new ImportNotFound();
    return found;
  }

  /** The first rows that were refused. */
  listFirstRefused(job: Import): Promise<RefusedRow[]> {
    return this.rows.listRefused(job, 0, MAX_SHOWN_REFUSALS);
  }

  /** Reads the rows that were refused, in the order of the file. */
  async *readRefused(job: Import): AsyncGenerator<RefusedRow> {
    let from = 0;
    for (;;) {
      const page = await this.rows.listRefused(job, from, REFUSED_PER_PAGE);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < REFUSED_PER_PAGE) return;
      from = last.refusedRow + 1;
    }
  }

  /**
   * Takes an import back, also one that is being applied. Repeatable.
   * @returns the import, which is undone, or goes on after ten seconds.
   * @throws ImportNotFound, ImportRunning
   */
  async undo(account: AccountScope, id: Types.ObjectId): Promise<Import> {
    const job = await this.get(account, id);
    const now = this.clock.now();
    if (job.state === 'reading') throw new ImportRunning();
    if (job.state === 'applying') await this.imports.requestUndo(account, id, now);
    // Also one that was done meanwhile.
    const current = await this.get(account, id);
    if (current.state === 'done' && !(await this.imports.startUndo(current, now))) throw new ImportRunning();
    return this.runForAWhile(account, id);
  }

  /**
   * Removes what the rows of imports say of a person. Repeatable.
   * @param contacts of the person. @param numbers of the person, in comparable form, see `peerNumber` in `src/common`.
   */
  erase(
    account: AccountScope,
    contacts: readonly Types.ObjectId[],
    numbers: readonly string[],
  ): Promise<void> {
    return this.rows.erase(account, contacts, numbers);
  }

  private async runForAWhile(account: AccountScope, id: Types.ObjectId): Promise<Import> {
    const waiting = new AbortController();
    const run = this.runner.run(account, id);
    await Promise.race([run, sleep(WAIT_MS, undefined, { signal: waiting.signal }).catch(() => undefined)]);
    waiting.abort();
    return this.get(account, id);
  }
}
