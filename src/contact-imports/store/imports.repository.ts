import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { ifDuplicate, insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { earlierThan, type Position } from '../../messages/lists/message-cursor';
import { Import, type ImportCounts, type UndoCounts } from './import.schema';

/** An import that a process has claimed, as it was read. */
export type ClaimedImport = Import & Required<Pick<Import, 'claim'>>;

@Injectable()
export class ImportsRepository {
  constructor(@InjectModel(Import.name) private readonly imports: Model<Import>) {}

  /** @returns false if the account has an open import. */
  begin(started: Import): Promise<boolean> {
    return insertUnlessDuplicate(this.imports, started);
  }

  find({ user }: AccountScope, id: Types.ObjectId): Promise<Import | null> {
    return this.imports.findOne({ _id: id, user }).lean<Import>();
  }

  /** Lists imports, the latest first. */
  list({ user }: AccountScope, after: Position | undefined, limit: number): Promise<Import[]> {
    return this.imports
      .find({ user, ...(after && earlierThan<Import>('createdAt', after)) })
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<Import[]>();
  }

  /** Stores how many rows were read. @returns false if the import was given up meanwhile. */
  async recordRead(
    { _id, user }: Import,
    read: Pick<Import, 'rowCount' | 'columns' | 'dueAt' | 'updatedAt'>,
  ): Promise<boolean> {
    const result = await this.imports.updateOne({ _id, user, state: 'reading' }, { $set: read });
    return result.matchedCount === 1;
  }

  /** @returns false if the import was given up meanwhile. */
  async startApplying(
    { _id, user }: Import,
    read: Pick<Import, 'rowCount' | 'columns' | 'fileHash' | 'list' | 'dueAt' | 'updatedAt'>,
  ): Promise<boolean> {
    const result = await this.imports.updateOne(
      { _id, user, state: 'reading' },
      { $set: { ...read, state: 'applying' } },
    );
    return result.matchedCount === 1;
  }

  /** Claims an import that is due to be applied or undone. @returns null if it is not, or another process has it. */
  claim(
    { user }: AccountScope,
    id: Types.ObjectId,
    claim: Types.ObjectId,
    { now, until }: { readonly now: Date; readonly until: Date },
  ): Promise<ClaimedImport | null> {
    return this.imports
      .findOneAndUpdate(
        { _id: id, user, state: { $in: ['applying', 'undoing'] }, dueAt: { $lte: now } },
        { $set: { claim, dueAt: until } },
        { returnDocument: 'after' },
      )
      .lean<ClaimedImport>();
  }

  /** Gives an import back, so that another process takes it up. */
  async release({ _id, user, claim }: ClaimedImport, now: Date): Promise<void> {
    await this.imports.updateOne({ _id, user, claim }, { $set: { dueAt: now }, $unset: { claim: 1 } });
  }

  /** Counts rows as applied, once. @returns the import, or null if another process has it. */
  countApplied(
    { _id, user, claim, appliedRows }: ClaimedImport,
    through: number,
    counts: ImportCounts,
    { now, until }: { readonly now: Date; readonly until: Date },
  ): Promise<ClaimedImport | null> {
    return this.imports
      .findOneAndUpdate(
        { _id, user, claim, state: 'applying', appliedRows },
        { $set: { appliedRows: through, dueAt: until, updatedAt: now }, $inc: increments('counts', counts) },
        { returnDocument: 'after' },
      )
      .lean<ClaimedImport>();
  }

  /** Counts rows as undone, once. @returns the import, or null if another process has it. */
  countUndone(
    { _id, user, claim, rowsToUndo }: ClaimedImport,
    left: number,
    counts: UndoCounts,
    { now, until }: { readonly now: Date; readonly until: Date },
  ): Promise<ClaimedImport | null> {
    return this.imports
      .findOneAndUpdate(
        { _id, user, claim, state: 'undoing', rowsToUndo },
        { $set: { rowsToUndo: left, dueAt: until, updatedAt: now }, $inc: increments('undone', counts) },
        { returnDocument: 'after' },
      )
      .lean<ClaimedImport>();
  }

  /** Ends the application or the undo of an import. @param removeAt when the import is removed. */
  async end(
    { _id, user, claim, state }: ClaimedImport,
    { now, removeAt }: { readonly now: Date; readonly removeAt: Date },
  ): Promise<void> {
    const ended = state === 'undoing' ? 'undone' : 'done';
    await this.imports.updateOne(
      // One whose undo was asked for meanwhile goes on.
      { _id, user, claim, state, ...(ended === 'done' && { undoRequestedAt: { $exists: false } }) },
      {
        $set: { state: ended, dueAt: removeAt, endedAt: now, updatedAt: now },
        $unset: { claim: 1, open: 1 },
      },
    );
  }

  /** Asks for the undo of an import that is being applied. */
  async requestUndo({ user }: AccountScope, id: Types.ObjectId, now: Date): Promise<void> {
    await this.imports.updateOne(
      { _id: id, user, state: 'applying', undoRequestedAt: { $exists: false } },
      { $set: { undoRequestedAt: now } },
    );
  }

  /** Goes on with the undo of an import whose rows are applied up to a place. @returns null if another process has it. */
  turnToUndo({ _id, user, claim, appliedRows }: ClaimedImport, until: Date): Promise<ClaimedImport | null> {
    return this.imports
      .findOneAndUpdate(
        { _id, user, claim, state: 'applying' },
        { $set: { state: 'undoing', rowsToUndo: appliedRows, undone: NOTHING_UNDONE, dueAt: until } },
        { returnDocument: 'after' },
      )
      .lean<ClaimedImport>();
  }

  /** Starts the undo of an import that is done. @returns false if another import is open. */
  startUndo({ _id, user, appliedRows }: Import, now: Date): Promise<boolean> {
    return ifDuplicate(false, async () => {
      await this.imports.updateOne(
        { _id, user, state: 'done' },
        {
          $set: {
            ...{ state: 'undoing', open: true, rowsToUndo: appliedRows, undone: NOTHING_UNDONE },
            ...{ undoRequestedAt: now, dueAt: now, updatedAt: now },
          },
          $unset: { endedAt: 1 },
        },
      );
      return true;
    });
  }

  /** Lists imports that were interrupted, or are to be removed, the longest due first. */
  listDue(now: Date, limit: number): Promise<Import[]> {
    return this.imports
      .find({ dueAt: atOrBefore(now) })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<Import[]>();
  }

  /** Gives up an upload, so that its process cannot go on with it. */
  async giveUp({ _id, user }: Import, now: Date): Promise<boolean> {
    const result = await this.imports.updateOne(
      { _id, user, state: 'reading', dueAt: { $lte: now } },
      { $set: { state: 'undone' }, $unset: { open: 1 } },
    );
    return result.matchedCount === 1;
  }

  async remove({ _id, user }: Import): Promise<void> {
    await this.imports.deleteOne({ _id, user });
  }
}

const NOTHING_UNDONE: UndoCounts = { removed: 0, restored: 0, kept: 0, changed: 0 };

const increments = (field: string, counts: ImportCounts | UndoCounts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [`${field}.${name}`, Number(count)]));
