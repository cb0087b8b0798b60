import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

/** A limit that is none. */
export const UNLIMITED = -1;

/** What an account may send. Seeded once; what an operator changes stays (`admin plan set`). */
@Schema({ collection: 'plans', versionKey: false })
export class Plan {
  /** The name. */
  @Prop({ type: String, required: true })
  _id!: string;

  @Prop({ type: String, required: true })
  displayName!: string;

  /** Messages a day, sent and received, by the UTC calendar; -1 for any number, as in the others. */
  @Prop({ type: Number, required: true })
  dailyLimit!: number;

  @Prop({ type: Number, required: true })
  monthlyLimit!: number;

  /** Recipients of one send. */
  @Prop({ type: Number, required: true })
  bulkSendLimit!: number;
}

export const PlanSchema = SchemaFactory.createForClass(Plan);

export const SEEDED_PLANS: readonly Plan[] = [
  { _id: 'free', displayName: 'Free', dailyLimit: 50, monthlyLimit: 300, bulkSendLimit: 50 },
  { _id: 'pro', displayName: 'Pro', dailyLimit: 5_000, monthlyLimit: 100_000, bulkSendLimit: 5_000 },
  {
    _id: 'unlimited',
    displayName: 'Unlimited',
    dailyLimit: UNLIMITED,
    monthlyLimit: UNLIMITED,
    bulkSendLimit: UNLIMITED,
  },
];
