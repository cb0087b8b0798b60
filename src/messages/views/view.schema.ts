import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A saved query of the message list. */
@Schema({ collection: 'views', versionKey: false })
export class View {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: String })
  name!: string;

  @Prop({ type: String })
  query!: string;

  /** Its place among those that the account may have; unique, so that concurrent calls cannot exceed the limit. */
  @Prop({ type: Number })
  slot!: number;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;
}

export const ViewSchema = SchemaFactory.createForClass(View);
ViewSchema.index({ user: 1, name: 1 }, { unique: true }); // one view per name; the views of an account
ViewSchema.index({ user: 1, slot: 1 }, { unique: true }); // the limit of an account
