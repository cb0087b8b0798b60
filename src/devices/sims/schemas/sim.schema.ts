import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import { ifPresent } from '../../../infrastructure/mongo/if-present';
import { indexOutbox, OperationalDocument } from '../../events/operational-document';
import type { HealthFacts } from '../health/sim-health';
import type { PeriodLimit } from '../../states/wait-reasons';

/** The limits that the owner of a SIM has set; a missing one does not apply. */
export interface SimLimits {
  partsPerMinute?: number;
  messagesPerHour?: number;
  messagesPerDay?: number;
  messagesPerMonth?: number;
  /** Distinct recipients. */
  recipientsPerMonth?: number;
  /** The day of the month, 1 to 31; the last day of a shorter month. Absent: 1. */
  monthStartsOn?: number;
  /** IANA name. Absent: UTC. */
  timeZone?: string;
}

/** A SIM of an account, or the phone itself as long as it reports no SIMs. */
@Schema({ collection: 'sims', versionKey: false })
export class SimRecord extends OperationalDocument {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  /** What identifies it within the account: its ICCID, or else its phone and subscription id. See `sim-report.ts`. */
  @Prop({ type: String })
  key!: string;

  /** The phone it was last in; absent once that phone is deleted. */
  @Prop({ type: Types.ObjectId })
  device?: Types.ObjectId;

  /** Whether the latest report of that phone has it. */
  @Prop({ type: Boolean })
  isPresent!: boolean;

  /** When a report last changed it. */
  @Prop({ type: Date })
  seenAt!: Date;

  /** In the phone that it was last in. Absent on the SIM of a phone that reports none. */
  @Prop({ type: Number })
  subscriptionId?: number;

  @Prop({ type: String })
  iccId?: string;

  @Prop({ type: Number })
  simSlotIndex?: number;

  @Prop({ type: String })
  carrierName?: string;

  @Prop({ type: String })
  countryIso?: string;

  @Prop({ type: String })
  label?: string;

  @Prop({ type: String })
  phoneNumber?: string;

  @Prop({ type: Boolean })
  enabled!: boolean;

  @Prop({ type: Object })
  limits?: SimLimits;

  /** End of the last slot reserved on its timeline of large sends; only a SIM with a pace of its own has one. */
  @Prop({ type: Date })
  dispatchFreeAt?: Date;

  /** When its waiting messages are due to be decided on again, because something about it has changed. */
  @Prop({ type: Date })
  reviewDueAt?: Date;

  /** When the last review of that change is due: by then, every decision that did not know of it is stored. */
  @Prop({ type: Date })
  reviewUntil?: Date;

  /** The end of the latest period in which each limit held a message back; each raises one event. */
  @Prop({ type: Object })
  limitsReached?: Partial<Record<PeriodLimit, Date>>;

  /** How its latest messages ended; absent if none has, or it was reset. Only `SimHealthRepository` reads all of it. */
  @Prop({ type: Object })
  health?: HealthFacts;

  /** Changes with each write of `health`. */
  @Prop({ type: Types.ObjectId })
  healthVersion?: Types.ObjectId;

  /** When a delivery or a canary that it waits for times out. */
  @Prop({ type: Date })
  healthDueAt?: Date;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;
}

export const SimRecordSchema = SchemaFactory.createForClass(SimRecord);
SimRecordSchema.index({ user: 1, key: 1 }, { unique: true }); // one record per SIM; the SIMs of an account
SimRecordSchema.index({ device: 1 }, { partialFilterExpression: { isPresent: true } }); // dispatch: the SIMs in a phone
SimRecordSchema.index({ reviewDueAt: 1 }, ifPresent('reviewDueAt')); // scheduler: waiting messages of changed SIMs
SimRecordSchema.index({ healthDueAt: 1 }, ifPresent('healthDueAt')); // scheduler: timeouts of deliveries and canaries
SimRecordSchema.index({ 'health.breaker.closedAt': 1 }, ifPresent('health.breaker')); // metrics: SIMs whose breaker is not closed
indexOutbox(SimRecordSchema);
