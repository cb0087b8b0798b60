import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { OwnedDocument } from '../../infrastructure/mongo/owned-document';

/** A saved query of the message list. */
@Schema({ collection: 'views', versionKey: false })
export class View extends OwnedDocument {
  @Prop({ type: String })
  name!: string;

  @Prop({ type: String })
  query!: string;

  /** Its place among those that the account may have; unique, so that concurrent calls cannot exceed the limit. */
  @Prop({ type: Number })
  slot!: number;
}

export const ViewSchema = SchemaFactory.createForClass(View);
ViewSchema.index({ user: 1, name: 1 }, { unique: true }); // one view per name; the views of an account
ViewSchema.index({ user: 1, slot: 1 }, { unique: true }); // the limit of an account
