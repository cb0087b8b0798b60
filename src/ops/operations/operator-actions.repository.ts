import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import { OperatorAction } from './operator-action.schema';

const EPOCH = new Date(0);

/** The actions of operators, across accounts. */
@Injectable()
export class OperatorActionsRepository {
  constructor(@InjectModel(OperatorAction.name) private readonly actions: Model<OperatorAction>) {}

  async record(action: OperatorAction): Promise<void> {
    await this.actions.insertMany([action], { lean: true });
  }

  /** The newest first. */
  list(limit: number): Promise<OperatorAction[]> {
    return this.actions
      .find({ at: { $gt: EPOCH } })
      .sort({ at: -1 })
      .limit(limit)
      .lean<OperatorAction[]>();
  }
}
