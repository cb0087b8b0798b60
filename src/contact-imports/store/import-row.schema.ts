import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../infrastructure/mongo/if-present';
import type { ContactChanges } from '../rows/contact-changes';
import type { ContactEntry } from '../rows/contact-entry';
import type { Refusal } from '../rows/refusal';

export const ROW_OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const;
export type RowOutcome = (typeof ROW_OUTCOMES)[number];

/** A row of an imported file, with what an undo needs. */
@Schema({ collection: 'importrows', versionKey: false })
export class ImportRow {
  /** Also the id of the contact that it creates. */
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  import!: Types.ObjectId;

  /** Its place among the rows of the file, from 0. */
  @Prop({ type: Number })
  row!: number;

  /** The line of the file that it begins on, from 1. */
  @Prop({ type: Number })
  line!: number;

  /** What it says; kept until it is applied, and of a row that created a contact as long as the row. */
  @Prop({ type: Object })
  entry?: ContactEntry;

  @Prop({ type: Object })
  refusal?: Refusal;

  /** `row`, if it is refused. */
  @Prop({ type: Number })
  refusedRow?: number;

  /** Of a refused row: the numbers that could be read, so that it is erased with the person. */
  @Prop({ type: [String], default: undefined })
  numbers?: string[];

  /** Absent until it is applied. */
  @Prop({ type: String })
  outcome?: RowOutcome;

  /** The contact that it changed. */
  @Prop({ type: Types.ObjectId })
  contact?: Types.ObjectId;

  @Prop({ type: Object })
  changes?: ContactChanges;

  /** Of a row that changed a contact: whether its undo takes all of that back, stored before the contact is written. */
  @Prop({ type: Boolean })
  isUndone?: boolean;
}

export const ImportRowSchema = SchemaFactory.createForClass(ImportRow);
ImportRowSchema.index({ user: 1, import: 1, row: 1 }, { unique: true }); // the rows of an import in their order
ImportRowSchema.index({ user: 1, import: 1, refusedRow: 1 }, ifPresent('refusedRow')); // the refused ones
ImportRowSchema.index({ user: 1, contact: 1 }, ifPresent('contact')); // those with content of a contact
ImportRowSchema.index({ user: 1, numbers: 1 }, ifPresent('numbers')); // those with content about a number
