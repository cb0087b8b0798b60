import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import { Plan } from './plan.schema';

@Injectable()
export class PlansRepository {
  constructor(@InjectModel(Plan.name) private readonly plans: Model<Plan>) {}

  async seed(plans: readonly Plan[]): Promise<void> {
    for (const { _id, ...fields } of plans) {
      await upsertWithRetry(() => this.plans.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true }));
    }
  }

  list(): Promise<Plan[]> {
    return this.plans.find().sort({ _id: 1 }).lean<Plan[]>();
  }

  update(name: string, changes: Partial<Omit<Plan, '_id'>>): Promise<Plan | null> {
    return this.plans
      .findOneAndUpdate({ _id: name }, { $set: changes }, { returnDocument: 'after' })
      .lean<Plan>();
  }
}
