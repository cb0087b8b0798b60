import { Prop, Schema, SchemaFactory } from '@nestjs/mongoose';
import { Types } from 'mongoose';

/** A scheduled job and the lease of the process that runs it. All times are the database's. */
@Schema({ collection: 'maintenancejobs', versionKey: false })
export class MaintenanceJob {
  /** The name of the job. */
  @Prop({ type: String })
  _id!: string;

  @Prop({ type: Date })
  dueAt!: Date;

  @Prop({ type: Types.ObjectId })
  heldBy?: Types.ObjectId;

  @Prop({ type: Date })
  heldUntil!: Date;

  @Prop({ type: Date })
  startedAt?: Date;

  /** The start, not the end, of the last run that completed. */
  @Prop({ type: Date })
  completedAt?: Date;

  /** The last id that the current run has processed. */
  @Prop({ type: Types.ObjectId })
  after?: Types.ObjectId;
}

export const MaintenanceJobSchema = SchemaFactory.createForClass(MaintenanceJob);
