import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** What of a month's count stood in records that are removed. */
export interface RemovedUsage {
  month: string;
  count: number;
  /** The last chunk the figure holds. */
  chunk: Types.ObjectId;
}

/** What an account has used of its plan: one document an account, so that a reservation is one atomic write. */
@Schema({ collection: 'usages', versionKey: false })
export class Usage {
  /** The account. */
  @Prop({ type: Types.ObjectId, required: true })
  _id!: Types.ObjectId;

  /** The day the daily count belongs to. */
  @Prop({ type: String, required: true })
  day!: string;

  @Prop({ type: Number, required: true })
  dayCount!: number;

  @Prop({ type: String, required: true })
  month!: string;

  @Prop({ type: Number, required: true })
  monthCount!: number;

  /**
   * Reserved for days to come, by UTC day: at most 31. The first charge of a day takes its reservations, and those of
   * days before it, into the counts. Processes of earlier versions know the counts alone.
   */
  @Prop({ type: Object })
  days?: Record<string, number>;

  /** The latest reservations by batch: how it is known whether a send that died had reserved already. */
  @Prop({ type: [Types.ObjectId] })
  reserved!: Types.ObjectId[];

  /** The latest cancellations that have given back: each does it once. */
  @Prop({ type: [Types.ObjectId] })
  returned!: Types.ObjectId[];

  @Prop({ type: Object })
  removed?: RemovedUsage;

  /**
   * What removed batches were charged on days that were not over when they were removed, by UTC day; kept until the
   * month of the day is over. Not part of `removed.count`. Written together with `removed`.
   */
  @Prop({ type: Object })
  removedDays?: Record<string, number>;
}

export const UsageSchema = SchemaFactory.createForClass(Usage);
