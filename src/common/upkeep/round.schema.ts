import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** Work that comes round again and again, done once for the whole installation, however many processes there are. */
@Schema({ collection: 'rounds', versionKey: false })
export class Round {
  /** The name of the work. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Date })
  dueAt!: Date;

  /** Whose turn it is, and until when: whoever dies loses it then. */
  @Prop({ type: Types.ObjectId })
  heldBy?: Types.ObjectId;

  @Prop({ type: Date })
  heldUntil?: Date;

  /** How far it has come: the id of the last thing that is done. */
  @Prop({ type: Types.ObjectId })
  after?: Types.ObjectId;
}

export const RoundSchema = SchemaFactory.createForClass(Round);
