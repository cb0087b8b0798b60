import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A process that runs or exited uncleanly. A clean exit removes the record. */
@Schema({ collection: 'processes', versionKey: false })
export class RunningProcess {
  _id!: Types.ObjectId;

  @Prop({ type: Date })
  aliveAt!: Date;
}

export const RunningProcessSchema = SchemaFactory.createForClass(RunningProcess);
