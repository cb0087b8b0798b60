import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import { OwnedDocument } from '../../infrastructure/mongo/owned-document';

/** What the rows of a file become: contacts, or blocks of numbers. */
export const IMPORT_KINDS = ['contacts', 'suppressions'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * `reading`: the file is being uploaded, and its rows are stored; `applying`: they become contacts or blocks; `undoing` and `undone`: they
 * are taken back.
 */
export const IMPORT_STATES = ['reading', 'applying', 'done', 'undoing', 'undone'] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** Rows by what became of them. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  /** The file said nothing new. */
  readonly unchanged: number;
  readonly refused: number;
}

/** Rows by what an undo did. */
export interface UndoCounts {
  /** What the import had created and is gone. */
  readonly removed: number;
  /** What it had changed and is as before, as far as it was not changed since. */
  readonly restored: number;
  /** Contacts that have messages, and blocks that have another source. */
  readonly kept: number;
  /** What was changed since by somebody else, and stays. */
  readonly changed: number;
}

/** What becomes of contacts that exist: the file changes what it has, or only adds them to the list and gives them the tags. */
export const EXISTING_CHOICES = ['update', 'skip'] as const;
export type ExistingChoice = (typeof EXISTING_CHOICES)[number];

export interface StoredColumn {
  readonly header: string;
  /** See `targetText`. */
  readonly target: string;
}

/** An uploaded file and what became of its rows. It is removed with its rows a month after it was uploaded. */
@Schema({ collection: 'imports', versionKey: false })
export class Import extends OwnedDocument {
  @Prop({ type: String })
  kind!: ImportKind;

  @Prop({ type: String })
  state!: ImportState;

  /** Set until it is done or undone: an account has one such import. */
  @Prop({ type: Boolean })
  open?: true;

  /** When a process takes it up: one that was interrupted, or one to be removed. */
  @Prop({ type: Date })
  dueAt!: Date;

  /** Identifies the run of a process that applies or undoes it. */
  @Prop({ type: Types.ObjectId })
  claim?: Types.ObjectId;

  /** When its undo was asked for while it was being applied. */
  @Prop({ type: Date })
  undoRequestedAt?: Date;

  @Prop({ type: String })
  fileName?: string;

  /** SHA-256 of the file, in hexadecimal. */
  @Prop({ type: String })
  fileHash?: string;

  @Prop({ type: [Object], default: undefined })
  columns?: StoredColumn[];

  /** The list that its contacts become members of. */
  @Prop({ type: Types.ObjectId })
  list?: Types.ObjectId;

  /** Given to all of its contacts. */
  @Prop({ type: [String], default: undefined })
  tags?: string[];

  @Prop({ type: String })
  onExisting?: ExistingChoice;

  /** Of blocks; absent: all. */
  @Prop({ type: String })
  topic?: string;

  @Prop({ type: Number })
  rowCount!: number;

  @Prop({ type: Object })
  counts!: ImportCounts;

  /** How many rows, from the first one, are applied. */
  @Prop({ type: Number })
  appliedRows!: number;

  /** How many rows, from the first one, are not undone yet. */
  @Prop({ type: Number })
  rowsToUndo?: number;

  @Prop({ type: Object })
  undone?: UndoCounts;

  @Prop({ type: Date })
  endedAt?: Date;
}

export const ImportSchema = SchemaFactory.createForClass(Import);
ImportSchema.index({ user: 1, open: 1 }, { unique: true, ...ifPresent('open') }); // one at a time
ImportSchema.index({ user: 1, createdAt: -1, _id: -1 }); // the list of an account
ImportSchema.index({ dueAt: 1 }); // scheduler: what is interrupted, or to be removed
