import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import {
  ImportedBlocks,
  type NumberList,
  type NumberRow,
} from '../../consent/imports/imported-blocks.service';
import { ALL_TOPICS } from '../../consent/records/consent-record.schema';
import type { Import, ImportCounts, UndoCounts } from '../store/import.schema';
import { ImportRowsRepository } from '../store/import-rows.repository';
import type { ImportRow } from '../store/import-row.schema';

/** Blocks the numbers of a list of people who want no messages. */
@Injectable()
export class SuppressionApplier {
  constructor(
    private readonly blocks: ImportedBlocks,
    private readonly rows: ImportRowsRepository,
    private readonly clock: Clock,
  ) {}

  async apply(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<ImportCounts> {
    const pending = rows.filter(({ outcome }) => outcome === undefined);
    const numbers = pending.flatMap(numbersOf);
    const areBlocked = numbers.length > 0 ? await this.blocks.block(account, listOf(job), numbers) : [];
    const blocking = new Set(numbers.filter((_, index) => areBlocked[index]).map(({ row }) => row));
    const created = pending.filter(({ row }) => blocking.has(row));
    const unchanged = pending.filter(({ row }) => !blocking.has(row));
    await this.rows.recordOutcomes(account, 'created', created);
    await this.rows.recordOutcomes(account, 'unchanged', unchanged);
    const before = (outcome: ImportRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
    return {
      created: created.length + before('created'),
      updated: 0,
      unchanged: unchanged.length + before('unchanged'),
      refused: before('refused'),
    };
  }

  async undo(account: AccountScope, job: Import, rows: readonly ImportRow[]): Promise<UndoCounts> {
    const numbers = rows.filter(({ outcome }) => outcome === 'created').flatMap(numbersOf);
    const results =
      numbers.length > 0 ? await this.blocks.lift(account, listOf(job), numbers, this.clock.now()) : [];
    const count = (result: (typeof results)[number]) => results.filter((each) => each === result).length;
    return {
      removed: count('lifted'),
      restored: 0,
      kept: count('otherwiseBlocked'),
      changed: count('changed'),
    };
  }
}

/** A row has one number. */
const numbersOf = ({ row, line, entry }: ImportRow): NumberRow[] =>
  entry?.numbers.slice(0, 1).map(({ peerNumber }) => ({ number: peerNumber, row, line })) ?? [];

const listOf = ({ _id, fileHash = '', topic = ALL_TOPICS, createdAt }: Import): NumberList => ({
  importId: _id,
  fileHash,
  topic,
  at: createdAt,
});
