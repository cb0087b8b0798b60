import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** The part of a month's count that comes from removed records. */
export interface RemovedUsage {
  month: string;
  count: number;
  /** The last removed chunk included in the count. */
  chunk: Types.ObjectId;
}

/** Plan usage, one document per account, so that a reservation is one atomic write. */
@Schema({ collection: 'usages', versionKey: false })
export class Usage {
  /** Account id. */
  @Prop({ type: Types.ObjectId })
  _id!: Types.ObjectId;

  /** UTC day of `dayCount`. */
  @Prop({ type: String })
  day!: string;

  @Prop({ type: Number })
  dayCount!: number;

  @Prop({ type: String })
  month!: string;

  @Prop({ type: Number })
  monthCount!: number;

  /**
   * Reservations for later UTC days, at most 31. The first charge of a day moves the reservations up to that day into
   * the counts.
   */
  @Prop({ type: Object })
  days?: Record<string, number>;

  /** Batches with the latest reservations, to release those of interrupted sends. */
  @Prop({ type: [Types.ObjectId] })
  reserved!: Types.ObjectId[];

  /** Latest refunded cancellations, so that each is refunded once. */
  @Prop({ type: [Types.ObjectId] })
  returned!: Types.ObjectId[];

  @Prop({ type: Object })
  removed?: RemovedUsage;

  /**
   * Charges of removed batches on days that were not over at removal, by UTC day; kept until the end of the month. Not
   * included in `removed.count`; written together with `removed`.
   */
  @Prop({ type: Object })
  removedDays?: Record<string, number>;
}

export const UsageSchema = SchemaFactory.createForClass(Usage);
