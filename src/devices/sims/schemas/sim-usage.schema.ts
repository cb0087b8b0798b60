import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../../infrastructure/mongo/if-present';

/** Messages counted in the period that starts at `start`. */
export interface PeriodCount {
  readonly start: Date;
  readonly count: number;
}

export interface ReservedMessage {
  readonly id: Types.ObjectId;
  /** The hash of the number; absent if recipients were not limited. */
  readonly recipient?: string;
}

/** Messages that are counted and whose push has no result yet. */
export interface Reservation {
  /** Also stored on the messages that are then claimed, as `simReservation`. */
  readonly id: Types.ObjectId;
  readonly at: Date;
  readonly messages: readonly ReservedMessage[];
}

/** What a SIM with limits has used. Its id is that of the SIM. Replaced as a whole, on condition of its version. */
@Schema({ collection: 'simusages', versionKey: false, minimize: false })
export class SimUsageModel {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** Changes with each write. */
  @Prop({ type: Types.ObjectId })
  version!: Types.ObjectId;

  /** The state of the token bucket of its parts: when it is full again, in milliseconds since 1970. */
  @Prop({ type: Number })
  fullAt?: number;

  @Prop({ type: Object })
  hour?: PeriodCount;

  @Prop({ type: Object })
  day?: PeriodCount;

  @Prop({ type: Object })
  month?: PeriodCount;

  /** Messages of the month by the hash of the recipient; at most 1,000. */
  @Prop({ type: Object })
  recipients?: Record<string, number>;

  @Prop({ type: [Object] })
  reservations!: readonly Reservation[];

  /** The latest time until which a message waits for these limits. */
  @Prop({ type: Date })
  heldUntil?: Date;

  /** Until when other messages leave its parts to urgent ones that wait for them. */
  @Prop({ type: Date })
  urgentUntil?: Date;

  /** Whether room became free while messages wait. */
  @Prop({ type: Boolean })
  hasFreedRoom?: boolean;

  /** The SIM that continues this usage, after the two turned out to be one card. */
  @Prop({ type: Types.ObjectId })
  mergedInto?: Types.ObjectId;

  /** When a usage that another SIM continues is removed. */
  @Prop({ type: Date })
  expiresAt?: Date;

  /** The SIMs whose usage this one continues. */
  @Prop({ type: [Types.ObjectId], default: undefined })
  merged?: readonly Types.ObjectId[];

  /** When `WaitingReview` ends an old reservation, or has waiting messages reviewed. */
  @Prop({ type: Date })
  dueAt?: Date;
}

/** A stored usage, as a plain object. */
export type SimUsage = Pick<SimUsageModel, keyof SimUsageModel>;

export const SimUsageSchema = SchemaFactory.createForClass(SimUsageModel);
SimUsageSchema.index({ dueAt: 1 }, ifPresent('dueAt')); // scheduler: old reservations, freed room
SimUsageSchema.index({ user: 1 }); // erasure
SimUsageSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 }); // removes usages that another SIM continues
