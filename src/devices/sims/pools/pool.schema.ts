import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';
import type { PoolStrategy } from './choose-sim';

/** A named set of SIMs that send as one. The default pool is a field of the account. */
@Schema({ collection: 'pools', versionKey: false })
export class Pool {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  name!: string;

  @Prop({ type: [Types.ObjectId] })
  sims!: Types.ObjectId[];

  @Prop({ type: String })
  strategy!: PoolStrategy;

  /** By prefix of the recipient's number, "+44": the SIMs that may send there. A number without a rule may use any SIM. */
  @Prop({ type: Object })
  countries?: Record<string, Types.ObjectId[]>;

  /** Of round-robin: how many messages were assigned. */
  @Prop({ type: Number })
  turn?: number;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;
}

export const PoolSchema = SchemaFactory.createForClass(Pool);
PoolSchema.index({ user: 1, name: 1 }, { unique: true }); // one pool per name; the pools of an account
