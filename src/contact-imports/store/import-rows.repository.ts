import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { idsOf } from '../../common/documents';
import { insertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import type { ContactChanges } from '../rows/contact-changes';
import type { Import } from './import.schema';
import { ImportRow, type RowOutcome } from './import-row.schema';
import type { Refusal } from '../rows/refusal';

/** A row that was refused. */
export type RefusedRow = ImportRow & Required<Pick<ImportRow, 'refusal' | 'refusedRow'>>;

const REMOVED_AT_ONCE = 5_000;

@Injectable()
export class ImportRowsRepository {
  constructor(@InjectModel(ImportRow.name) private readonly rows: Model<ImportRow>) {}

  /** Stores rows of a file that is being read. @throws a failure of any of them. */
  async insert(rows: readonly ImportRow[]): Promise<void> {
    const failures = await insertManyUnordered(this.rows, rows);
    const failure = failures.find((each) => each !== undefined);
    if (failure) throw failure;
  }

  /** Lists rows from a place on, in the order of the file. */
  listFrom(job: Import, from: number, limit: number): Promise<ImportRow[]> {
    return this.rows
      .find({ ...ofImport(job), row: { $gte: from } })
      .sort({ row: 1 })
      .limit(limit)
      .lean<ImportRow[]>();
  }

  /** Lists rows before a place, from the last one on. */
  listBefore(job: Import, before: number, limit: number): Promise<ImportRow[]> {
    return this.rows
      .find({ ...ofImport(job), row: { $lt: before } })
      .sort({ row: -1 })
      .limit(limit)
      .lean<ImportRow[]>();
  }

  /** Stores what rows are about to change, before they change it. @param changed undefined of a row that changes nothing after all. */
  async recordChanges(
    { user }: AccountScope,
    changed: readonly {
      readonly row: ImportRow;
      readonly contact?: Types.ObjectId;
      readonly changes?: ContactChanges;
    }[],
  ): Promise<void> {
    if (changed.length === 0) return;
    const writes = changed.map(({ row: { _id }, contact, changes }) => ({
      updateOne: {
        filter: { _id, user },
        update: changes ? { $set: { contact, changes } } : { $unset: { contact: 1, changes: 1 } },
      },
    }));
    await this.rows.collection.bulkWrite(writes, { ordered: false });
  }

  /** Stores what became of rows. Of those that created a contact, what they say is kept for the undo. */
  async recordOutcomes(
    { user }: AccountScope,
    outcome: Exclude<RowOutcome, 'refused'>,
    rows: readonly ImportRow[],
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.rows.updateMany(
      { _id: { $in: idsOf(rows) }, user },
      { $set: { outcome }, ...(outcome !== 'created' && { $unset: { entry: 1 } }) },
    );
  }

  /** Stores of rows that are about to be undone whether all of what they changed is taken back. */
  async recordUndo({ user }: AccountScope, rows: readonly ImportRow[], isUndone: boolean): Promise<void> {
    if (rows.length > 0)
      await this.rows.updateMany({ _id: { $in: idsOf(rows) }, user }, { $set: { isUndone } });
  }

  /** Refuses rows that cannot be applied. */
  async refuse(
    { user }: AccountScope,
    refused: readonly { readonly row: ImportRow; readonly refusal: Refusal }[],
  ): Promise<void> {
    if (refused.length === 0) return;
    const writes = refused.map(({ row: { _id, row, entry }, refusal }) => ({
      updateOne: {
        filter: { _id, user },
        update: {
          $set: {
            ...{ outcome: 'refused', refusal, refusedRow: row },
            numbers: entry?.numbers.map(({ peerNumber }) => peerNumber) ?? [],
          },
          $unset: { entry: 1, changes: 1, contact: 1 },
        },
      },
    }));
    await this.rows.collection.bulkWrite(writes, {
      ordered: false,
    });
  }

  /** Lists refused rows from a place on, in the order of the file. */
  listRefused(job: Import, from: number, limit: number): Promise<RefusedRow[]> {
    return this.rows
      .find({ ...ofImport(job), refusedRow: { $exists: true, $gte: from } })
      .sort({ refusedRow: 1 })
      .limit(limit)
      .lean<RefusedRow[]>();
  }

  async removeAll(job: Import): Promise<void> {
    for (;;) {
      const [last] = await this.rows
        .find(ofImport(job), { row: 1 })
        .sort({ row: 1 })
        .skip(REMOVED_AT_ONCE - 1)
        .limit(1)
        .lean<Pick<ImportRow, 'row'>[]>();
      await this.rows.deleteMany({ ...ofImport(job), ...(last && { row: { $lte: last.row } }) });
      if (!last) return;
    }
  }

  /**
   * Removes what rows say of a person. @param contacts of the person. @param numbers of the person, in comparable form.
   */
  async erase(
    { user }: AccountScope,
    contacts: readonly Types.ObjectId[],
    numbers: readonly string[],
  ): Promise<void> {
    const conditions: QueryFilter<ImportRow>[] = [
      { _id: { $in: contacts }, user },
      { user, contact: { $exists: true, $in: contacts } },
      { user, numbers: { $exists: true, $in: numbers } },
    ];
    for (const condition of conditions) await this.rows.deleteMany(condition);
  }
}

const ofImport = ({ _id, user }: Import): QueryFilter<ImportRow> => ({ user, import: _id });
