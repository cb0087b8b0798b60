import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A process of the service that runs, or has died without a word. One that stops in order takes its record away. */
@Schema({ collection: 'processes', versionKey: false })
export class RunningProcess {
  _id!: Types.ObjectId;

  @Prop({ type: Date, required: true })
  aliveAt!: Date;
}

export const RunningProcessSchema = SchemaFactory.createForClass(RunningProcess);
