import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** What a message is counted as, once each. */
export const COUNT_KINDS = ['received', 'sent', 'delivered', 'failed', 'cancelled', 'suppressed'] as const;
export type CountKind = (typeof COUNT_KINDS)[number];

/** How many messages were counted as `kind` in the hour that starts at `hour`. */
export interface HourCount {
  /** Absent for messages without a device: they are part of the totals of the account only. */
  readonly device?: Types.ObjectId;
  readonly kind: CountKind;
  readonly hour: Date;
  readonly count: number;
}

/** The totals of a device or of an account: all messages counted before `through`, a time of the database. */
@Schema({ collection: 'totals', versionKey: false })
export class Totals {
  /** Id of the device or of the account. */
  @Prop({ type: Types.ObjectId })
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: Date })
  through!: Date;

  @Prop({ type: Number })
  sent!: number;

  @Prop({ type: Number })
  received!: number;

  /** Of an account: the period that ended at `through`, which its devices and days may not include yet. */
  @Prop({ type: [Object] })
  lastPeriod?: HourCount[];
}

/** Messages counted as sent and as received, removed ones included. */
export type MessageTotals = Readonly<Pick<Totals, 'sent' | 'received'>>;

export const TotalsSchema = SchemaFactory.createForClass(Totals);
TotalsSchema.index({ user: 1 }); // erasure of an account

/** A UTC day of a device or an account: all its messages counted before `through`, a time of the database. */
@Schema({ collection: 'daycounts', versionKey: false })
export class DayCounts {
  /** `<id of the device or account>:<2026-01-31>` */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: Date })
  through!: Date;

  /** By hour, `0` to `23`. */
  @Prop({ type: Object })
  counts!: Partial<Record<CountKind, Readonly<Record<string, number>>>>;
}

export const DayCountsSchema = SchemaFactory.createForClass(DayCounts);
DayCountsSchema.index({ user: 1 }); // erasure of an account

/** @param time any time of the UTC day. */
export const dayCountsId = (owner: Types.ObjectId, time: Date): string =>
  `${owner.toHexString()}:${time.toISOString().slice(0, 10)}`;
