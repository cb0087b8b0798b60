import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import { LoopTest, type LoopLeg, type LoopRun } from './loop-test.schema';

/** A loop test with a run in progress. */
type RunningTest = LoopTest & Required<Pick<LoopTest, 'run'>>;

@Injectable()
export class LoopTestsRepository {
  constructor(@InjectModel(LoopTest.name) private readonly tests: Model<LoopTest>) {}

  find({ user }: AccountScope): Promise<LoopTest | null> {
    return this.tests.findById(user).lean<LoopTest>();
  }

  /** @param settings.nextRunAt undefined for no nightly runs. */
  async setUp(
    { user }: AccountScope,
    { nextRunAt, ...settings }: Pick<LoopTest, 'sims' | 'nightlyHour' | 'nextRunAt'>,
  ): Promise<void> {
    const update = nextRunAt
      ? { $set: { user, ...settings, nextRunAt } }
      : { $set: { user, ...settings }, $unset: { nextRunAt: 1 as const } };
    await upsertWithRetry(() => this.tests.updateOne({ _id: user }, update, { upsert: true }));
  }

  /** Starts a run, to be looked at at once. @returns false while another one is in progress. */
  async start({ user }: AccountScope, run: LoopRun): Promise<boolean> {
    const result = await this.tests.updateOne(
      { _id: user, checkAt: { $exists: false } },
      { $set: { run, checkAt: run.startedAt } },
    );
    return result.matchedCount === 1;
  }

  /** Loop tests whose nightly run is due, the longest due first. */
  listNightlyDue(now: Date, limit: number): Promise<LoopTest[]> {
    return this.tests
      .find({ nextRunAt: atOrBefore(now) })
      .sort({ nextRunAt: 1 })
      .limit(limit)
      .lean<LoopTest[]>();
  }

  /** Sets the time of the next nightly run, and starts this one, unless one is in progress or `run` is absent. */
  async startNightly({ _id, nextRunAt }: LoopTest, next: Date, run: LoopRun | undefined): Promise<void> {
    if (run) {
      const started = await this.tests.updateOne(
        { _id, nextRunAt, checkAt: { $exists: false } },
        { $set: { nextRunAt: next, run, checkAt: run.startedAt } },
      );
      if (started.matchedCount === 1) return;
    }
    await this.tests.updateOne({ _id, nextRunAt }, { $set: { nextRunAt: next } });
  }

  /** Claims runs to look at, until `until`: then they are due again. Several processes may claim the same ones. */
  async claimCheckDue(now: Date, until: Date, limit: number): Promise<RunningTest[]> {
    const due = await this.tests
      .find({ checkAt: atOrBefore(now) })
      .sort({ checkAt: 1 })
      .limit(limit)
      .lean<RunningTest[]>();
    const _id = { $in: due.map((test) => test._id) };
    if (due.length > 0)
      await this.tests.updateMany({ _id, checkAt: { $lte: now } }, { $set: { checkAt: until } });
    return due;
  }

  /** Stores what is known of the directions of a run in progress. @param endedAt if it has ended. */
  async store(user: Types.ObjectId, run: LoopRun, legs: readonly LoopLeg[], endedAt?: Date): Promise<void> {
    await this.tests.updateOne(
      { _id: user, 'run.id': run.id, 'run.endedAt': { $exists: false } },
      {
        $set: { 'run.legs': legs, ...(endedAt && { 'run.endedAt': endedAt }) },
        ...(endedAt && { $unset: { checkAt: 1 as const } }),
      },
    );
  }
}
