import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { RunningProcess } from './running-process.schema';

/** One small record a process: it is read without an index. */
@Injectable()
export class RunningProcessesRepository {
  constructor(@InjectModel(RunningProcess.name) private readonly processes: Model<RunningProcess>) {}

  async markAlive(id: Types.ObjectId, now: Date): Promise<void> {
    await this.processes.updateOne({ _id: id }, { $set: { aliveAt: now } }, { upsert: true });
  }

  async anySilentSince(since: Date): Promise<boolean> {
    return (await this.processes.exists({ aliveAt: { $lt: since } })) !== null;
  }

  async removeSilentSince(since: Date): Promise<void> {
    await this.processes.deleteMany({ aliveAt: { $lt: since } });
  }

  /** @param timeoutMS after so long without an answer it fails. */
  async remove(id: Types.ObjectId, timeoutMS: number): Promise<void> {
    await this.processes.deleteOne({ _id: id }, { timeoutMS });
  }
}
