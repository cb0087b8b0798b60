import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

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
   * Scheduled charges: those of later UTC days, at most 31. The first charge of a day moves those up to that day into the
   * counts.
   */
  @Prop({ type: Object })
  days?: Record<string, number>;

  /** Batches that are being accepted, to release the reservations of interrupted sends once; and some that were accepted. */
  @Prop({ type: [Types.ObjectId] })
  reserved!: Types.ObjectId[];

  /** Latest refunded cancellations and moves to another day, so that each is applied once. */
  @Prop({ type: [Types.ObjectId] })
  returned!: Types.ObjectId[];
}

export const UsageSchema = SchemaFactory.createForClass(Usage);
