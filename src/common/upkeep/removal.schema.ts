import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/**
 * A chunk of an account's records on its way out, one at a time. What is removed must be added to the stored bases of
 * the counters exactly once, whoever dies in between: so the chunk is written down first, then what it adds, and
 * whoever finds the record can do the rest.
 */
@Schema({ collection: 'removals', versionKey: false })
export class Removal {
  /** The kind of what is removed, and the account: there is one at a time. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: String })
  kind!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Names this chunk; a later chunk has a greater one. */
  @Prop({ type: Types.ObjectId })
  chunk!: Types.ObjectId;

  /** What is to be removed; once the tally stands, exactly what it was made of. */
  @Prop({ type: [Types.ObjectId] })
  ids!: Types.ObjectId[];

  /** What is removed with it and added to which base, decided once. */
  @Prop({ type: Object })
  tally?: unknown;

  /** Until when somebody is at it. */
  @Prop({ type: Date })
  until!: Date;
}

export const RemovalSchema = SchemaFactory.createForClass(Removal);
RemovalSchema.index({ kind: 1, until: 1 }); // removals whose process has died
