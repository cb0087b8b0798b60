import { Prop, Schema } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** What the documents of accounts have in common. */
@Schema()
export abstract class OwnedDocument {
  _id!: Types.ObjectId;

  @Prop({ type: Types.ObjectId })
  user!: Types.ObjectId;

  @Prop({ type: Date })
  createdAt!: Date;

  @Prop({ type: Date })
  updatedAt!: Date;
}
