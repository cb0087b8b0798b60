import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** What a message is counted as, once each. */
export const COUNT_KINDS = ['received', 'sent', 'delivered', 'failed'] as const;
export type CountKind = (typeof COUNT_KINDS)[number];

/** Counts of a day by UTC hour, `0` to `23`; hours without any are absent. */
export type HourlyCounts = Partial<Record<CountKind, Record<string, number>>>;

/** The totals of a device or of an account: all messages counted before `through`. */
@Schema({ collection: 'totals', versionKey: false })
export class Totals {
  /** Id of the device or of the account. */
  @Prop({ type: Types.ObjectId })
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** A time of the database. */
  @Prop({ type: Date })
  through!: Date;

  @Prop({ type: Number })
  sent!: number;

  @Prop({ type: Number })
  received!: number;

  /** The days that have no `DayCounts` yet, by UTC day. */
  @Prop({ type: Object })
  days?: Record<string, HourlyCounts>;
}

export const TotalsSchema = SchemaFactory.createForClass(Totals);
TotalsSchema.index({ user: 1 }); // the totals of an account and its devices

/** The counts of a UTC day by hour: 24 numbers of each kind. Written once the day is over. */
@Schema({ collection: 'daycounts', versionKey: false })
export class DayCounts implements Record<CountKind, number[]> {
  /** `<id of the device or account>:<2026-01-31>` */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: [Number] })
  received!: number[];

  @Prop({ type: [Number] })
  sent!: number[];

  @Prop({ type: [Number] })
  delivered!: number[];

  @Prop({ type: [Number] })
  failed!: number[];
}

export const DayCountsSchema = SchemaFactory.createForClass(DayCounts);
DayCountsSchema.index({ user: 1 }); // erasure of an account

export const dayCountsId = (owner: Types.ObjectId, day: string): string => `${owner.toHexString()}:${day}`;
