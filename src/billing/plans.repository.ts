import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { upsertSafely } from '../common/persistence/duplicate-key';
import { Plan } from './plan.schema';

@Injectable()
export class PlansRepository {
  constructor(@InjectModel(Plan.name) private readonly plans: Model<Plan>) {}

  /** Stores the plans that are not there yet. */
  async seed(plans: readonly Plan[]): Promise<void> {
    for (const { _id, ...fields } of plans) {
      await upsertSafely(() => this.plans.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }));
    }
  }

  list(): Promise<Plan[]> {
    return this.plans.find().sort({ _id: 1 }).lean<Plan[]>();
  }

  /** Sets what is given. @returns the plan as it is now; null when there is none with this name. */
  change(name: string, changes: Partial<Omit<Plan, '_id'>>): Promise<Plan | null> {
    // Mongoose leaves out what is undefined.
    return this.plans
      .findOneAndUpdate({ _id: name }, { $set: changes }, { returnDocument: 'after' })
      .lean<Plan>();
  }
}
