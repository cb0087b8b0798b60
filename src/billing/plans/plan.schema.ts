import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';

export const UNLIMITED = -1;

/** A plan with its limits; -1 is unlimited. Seeded once, changed with `admin plan set`. */
@Schema({ collection: 'plans', versionKey: false })
export class Plan {
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: String })
  displayName!: string;

  /** Messages sent and received per UTC day. */
  @Prop({ type: Number })
  dailyLimit!: number;

  @Prop({ type: Number })
  monthlyLimit!: number;

  @Prop({ type: Number })
  bulkSendLimit!: number;
}

export const PlanSchema = SchemaFactory.createForClass(Plan);

export function isUnlimited({ dailyLimit, monthlyLimit }: Plan): boolean {
  return dailyLimit === UNLIMITED && monthlyLimit === UNLIMITED;
}

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
