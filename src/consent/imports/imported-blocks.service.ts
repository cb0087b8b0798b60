import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { idsOf } from '../../common/documents';
import { NumberKeys } from '../numbers/number-keys.service';
import { ConsentSettingsService } from '../settings/consent-settings.service';
import { SuppressionsRepository } from '../suppressions/suppressions.repository';
import type { Suppression } from '../suppressions/suppression.schema';
import { ImportedBlocksRepository } from './imported-blocks.repository';

/** A number of a file. */
export interface NumberRow {
  /** In comparable form, see `peerNumber` in `src/common`. */
  readonly number: string;
  /** Its place among the rows of the file, from 0. */
  readonly row: number;
  /** The line of the file, from 1. */
  readonly line: number;
}

/** An imported list of numbers. */
export interface NumberList {
  readonly importId: Types.ObjectId;
  /** SHA-256 of the file, in hexadecimal. */
  readonly fileHash: string;
  readonly topic: string;
  /** When it was uploaded. */
  readonly at: Date;
}

export type LiftResult = 'lifted' | 'otherwiseBlocked' | 'changed';

/** Blocks the numbers of a file, and lifts these blocks when the import is undone. Each call may be repeated, and answers the same. */
@Injectable()
export class ImportedBlocks {
  constructor(
    private readonly keys: NumberKeys,
    private readonly settings: ConsentSettingsService,
    private readonly blocks: ImportedBlocksRepository,
    private readonly suppressions: SuppressionsRepository,
  ) {}

  /**
   * Records that the owner says who wants no messages, and blocks their numbers. A block that exists stays.
   * @returns whether the row blocked its number, for each.
   */
  async block(account: AccountScope, list: NumberList, rows: readonly NumberRow[]): Promise<boolean[]> {
    const { importId, fileHash, topic, at } = list;
    const { stopCovers } = await this.settings.get(account);
    const keys = await this.keysOf(account, rows);
    const decisions = rows.map(({ number, row, line }, index) => ({
      decision: { numberKey: keys[index] ?? '', number, topic, at },
      ...{ row, line },
    }));
    await this.blocks.addRecords(
      account,
      decisions.map(({ decision, row, line }) => ({
        ...decision,
        ...{ state: 'out', source: 'import', fileHash, fileLine: line, importId },
        uploadKey: `import ${importId.toHexString()} ${row}`,
      })),
    );
    const covers = stopCovers === 'everything' ? 'everything' : 'undeclared';
    await this.blocks.block(
      account,
      decisions.map(({ decision, row }) => ({ ...decision, covers, imported: { import: importId, row } })),
    );
    const stored = await this.findBlocks(account, keys, topic);
    return rows.map(({ row }, index) => {
      const block = stored.get(keys[index] ?? '');
      return block !== undefined && isOf(block, importId) && block.imported?.row === row;
    });
  }

  /** Lifts the blocks of which the import is the only source. @returns what became of each. */
  async lift(
    account: AccountScope,
    { importId, fileHash, topic }: NumberList,
    rows: readonly NumberRow[],
    now: Date,
  ): Promise<LiftResult[]> {
    const keys = await this.keysOf(account, rows);
    const stored = await this.findBlocks(account, keys, topic);
    const otherwise = await this.blocks.listOtherwiseBlocked(account, keys, topic, importId);
    const results = rows.map((_, index): LiftResult => {
      const key = keys[index] ?? '';
      const block = stored.get(key);
      if (!block || !isOf(block, importId)) return 'changed';
      return otherwise.has(key) ? 'otherwiseBlocked' : 'lifted';
    });
    const lifted = rows.flatMap((row, index) => {
      const numberKey = keys[index] ?? '';
      const block = results[index] === 'lifted' ? stored.get(numberKey) : undefined;
      return block?.state === 'out' ? [{ ...row, numberKey, block }] : [];
    });
    if (lifted.length === 0) return results;
    await this.blocks.addRecords(
      account,
      lifted.map(({ number, numberKey, row, line }) => ({
        ...{ numberKey, number, topic, at: now, state: 'in', source: 'import' },
        ...{ fileHash, fileLine: line, importId, reason: 'The import was undone' },
        uploadKey: `undo ${importId.toHexString()} ${row}`,
      })),
    );
    await this.blocks.lift(account, idsOf(lifted.map(({ block }) => block)), importId, now);
    return results;
  }

  private keysOf(account: AccountScope, rows: readonly NumberRow[]): Promise<string[]> {
    return this.keys.keysOf(
      account,
      rows.map(({ number }) => number),
    );
  }

  private async findBlocks(
    account: AccountScope,
    keys: readonly string[],
    topic: string,
  ): Promise<ReadonlyMap<string, Suppression>> {
    const byNumber = await this.suppressions.findOfNumbers(account, [...new Set(keys)]);
    return new Map(
      [...byNumber].flatMap(([key, blocks]) => {
        const block = blocks.find((each) => each.topic === topic);
        return block ? [[key, block]] : [];
      }),
    );
  }
}

/** Whether the last decision about it was that of an import. */
const isOf = ({ source, imported }: Suppression, importId: Types.ObjectId): boolean =>
  source === 'import' && imported?.import.equals(importId) === true;
