import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { MaintenanceJob } from './maintenance-job.schema';

/** A job whose lease this process holds. `startedAt` is when its current run started, possibly in another process. */
export type LeasedJob = MaintenanceJob & Required<Pick<MaintenanceJob, 'heldBy' | 'startedAt'>>;

const EPOCH = new Date(0);

@Injectable()
export class JobLeasesRepository {
  constructor(@InjectModel(MaintenanceJob.name) private readonly jobs: Model<MaintenanceJob>) {}

  /** Creates a job that is due now, unless it exists. */
  async create(name: string): Promise<void> {
    await insertUnlessDuplicate(this.jobs, { _id: name, dueAt: EPOCH, heldUntil: EPOCH });
  }

  /** @returns null if the job is not due, or another process holds the lease. */
  acquire(name: string, leaseMs: number): Promise<LeasedJob | null> {
    const isPast = (field: string) => ({ $lte: [field, '$$NOW'] });
    return this.jobs
      .findOneAndUpdate(
        { _id: name, $expr: { $and: [isPast('$dueAt'), isPast('$heldUntil')] } },
        [
          {
            $set: {
              heldBy: new Types.ObjectId(),
              heldUntil: { $add: ['$$NOW', leaseMs] },
              startedAt: { $cond: [{ $eq: [{ $type: '$after' }, 'missing'] }, '$$NOW', '$startedAt'] },
            },
          },
        ],
        { updatePipeline: true, returnDocument: 'after' },
      )
      .lean<LeasedJob>();
  }

  async renew({ _id, heldBy }: LeasedJob, leaseMs: number): Promise<void> {
    await this.update({ _id, heldBy }, { heldUntil: { $add: ['$$NOW', leaseMs] } });
  }

  /** Stores the progress of a run and extends the lease. @returns false if the lease is lost. */
  advance({ _id, heldBy }: LeasedJob, after: Types.ObjectId, leaseMs: number): Promise<boolean> {
    return this.update({ _id, heldBy }, { after, heldUntil: { $add: ['$$NOW', leaseMs] } });
  }

  /** Ends a run. A job that was made due during the run stays due. */
  async complete({ _id, heldBy, dueAt, startedAt }: LeasedJob, intervalMs: number): Promise<void> {
    const nextDueAt = { $cond: [{ $eq: ['$dueAt', dueAt] }, { $add: ['$$NOW', intervalMs] }, '$dueAt'] };
    await this.update({ _id, heldBy }, { dueAt: nextDueAt, completedAt: startedAt, after: '$$REMOVE' });
  }

  /** The next process continues where the run has stopped. */
  async release({ _id, heldBy }: LeasedJob): Promise<void> {
    await this.update({ _id, heldBy }, { heldBy: '$$REMOVE', heldUntil: '$$NOW' });
  }

  async makeAllDue(): Promise<void> {
    await this.jobs.updateMany({}, { $currentDate: { dueAt: true } });
  }

  private async update(filter: Partial<MaintenanceJob>, set: object): Promise<boolean> {
    const result = await this.jobs.updateOne(filter, [{ $set: set }], { updatePipeline: true });
    return result.matchedCount === 1;
  }
}
