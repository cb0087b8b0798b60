import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

export const OPERATOR_ACTION_NAMES = ['plan', 'disable', 'enable'] as const;
export type OperatorActionName = (typeof OPERATOR_ACTION_NAMES)[number];

const KEPT_SECONDS = 365 * 24 * 3_600;

/** What an operator began to do to an account; kept for a year. */
@Schema({ collection: 'operatoractions', versionKey: false })
export class OperatorAction {
  _id!: Types.ObjectId;

  @Prop({ type: Date })
  at!: Date;

  /** The account of the operator. */
  @Prop({ type: Types.ObjectId })
  operator!: Types.ObjectId;

  @Prop({ type: String })
  action!: OperatorActionName;

  @Prop({ type: Types.ObjectId })
  account!: Types.ObjectId;

  /** The new plan. */
  @Prop({ type: String })
  plan?: string;
}

export const OperatorActionSchema = SchemaFactory.createForClass(OperatorAction);
OperatorActionSchema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS }); // the list, and removal after a year
