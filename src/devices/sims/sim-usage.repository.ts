import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Coalescer } from '../../common/coalescer';
import { DAY_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { insertManyUnordered } from '../../infrastructure/mongo/unordered-writes';
import { OwnedLoader } from '../../infrastructure/mongo/owned-loader';
import { mergeUsages } from './limits/merge-usages';
import { type SimUsage, SimUsageModel } from './schemas/sim-usage.schema';

const MAX_ATTEMPTS = 30;
/** The first attempts follow at once; later ones wait for a random part of this time. */
const MAX_PAUSE_MS = 50;

/** Longer than any process knows a SIM that was removed. */
const ENDED_USAGE_TTL_MS = DAY_MS;

/** A change of a usage; runs again with the new usage if another process was faster. */
interface UsageChange {
  readonly user: Types.ObjectId;
  readonly sim: Types.ObjectId;
  /** @returns the same object to write nothing. */
  readonly apply: (usage: SimUsage) => SimUsage;
}

/**
 * The usages of SIMs. Each change reads the usage, decides in memory and replaces it if its version is still the same, so
 * that the rules exist once, as pure functions (docs/build/adr/0020).
 */
@Injectable()
export class SimUsageRepository {
  private readonly changes = new Coalescer((changes: readonly UsageChange[]) => this.applyAll(changes));

  private readonly loader = new OwnedLoader((ids) => this.readMany(ids));

  constructor(@InjectModel(SimUsageModel.name) private readonly usages: Model<SimUsage>) {}

  /**
   * Changes the usage of a SIM atomically, and creates it if there is none.
   * @param apply may run several times; its last result counts.
   * @throws Error if other processes keep changing it.
   */
  async change<Result>(
    { user }: AccountScope,
    sim: Types.ObjectId,
    apply: (usage: SimUsage) => { readonly usage: SimUsage; readonly result: Result },
  ): Promise<Result> {
    const results: Result[] = [];
    await this.changes.submit({
      user,
      sim,
      apply: (usage) => {
        const changed = apply(usage);
        results.push(changed.result);
        return changed.usage;
      },
    });
    return results.at(-1) as Result;
  }

  async find(account: AccountScope, sims: readonly Types.ObjectId[]): Promise<Map<string, SimUsage>> {
    const found = await this.loader.loadMany(account, sims);
    return new Map(found.map((usage) => [usage._id.toHexString(), usage]));
  }

  /**
   * Continues the usage of one SIM in that of another, once. The first write ends the use of `from`, which
   * stays for a day, so that a process which still knows that SIM does not start another one.
   */
  async merge(account: AccountScope, into: Types.ObjectId, from: Types.ObjectId, now: Date): Promise<void> {
    const ended = await this.change(account, from, (usage) => {
      const expiresAt = new Date(now.getTime() + ENDED_USAGE_TTL_MS);
      const after = usage.mergedInto ? usage : { ...usage, mergedInto: into, expiresAt };
      return { usage: after, result: after };
    });
    await this.change(account, into, (usage) => ({
      usage: mergeUsages(usage, ended, now),
      result: undefined,
    }));
  }

  /** Usages of all accounts with an old reservation or freed room. */
  listDue(now: Date, limit: number): Promise<SimUsage[]> {
    return this.usages
      .find({ dueAt: atOrBefore(now) })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<SimUsage[]>();
  }

  async remove(account: AccountScope, sims: readonly Types.ObjectId[]): Promise<void> {
    await this.usages.deleteMany({ _id: { $in: sims }, user: account.user });
  }

  private readMany(ids: readonly Types.ObjectId[]): Promise<SimUsage[]> {
    return this.usages.find({ _id: { $in: ids } }).lean<SimUsage[]>();
  }

  private async applyAll(changes: readonly UsageChange[]): Promise<Promise<void>[]> {
    const bySim = groupBy(changes, ({ sim }) => sim.toHexString());
    for (let attempt = 1; bySim.size > 0 && attempt <= MAX_ATTEMPTS; attempt++) {
      if (attempt > 3) await sleep(Math.random() * MAX_PAUSE_MS);
      const sims = [...bySim.values()].flatMap(([first]) => first?.sim ?? []);
      const stored = await this.usages.find({ _id: { $in: sims } }).lean<SimUsage[]>();
      const version = new Types.ObjectId();
      const replacements: Replacement[] = [];
      for (const [sim, ofSim] of bySim) {
        const before = stored.find(({ _id }) => _id.equals(sim));
        const after = ofSim.reduce((usage, { apply }) => apply(usage), before ?? newUsage(ofSim));
        if (after === before) bySim.delete(sim);
        else replacements.push({ before, after: { ...after, version } });
      }
      for (const sim of await this.replace(replacements, version)) bySim.delete(sim);
    }
    return changes.map(({ sim }) =>
      bySim.has(sim.toHexString())
        ? Promise.reject(new Error(`The usage of SIM ${sim.toHexString()} changes too often; try again`))
        : Promise.resolve(),
    );
  }

  /** @returns the SIMs whose usage was replaced: no other process had changed it. */
  private async replace(replacements: readonly Replacement[], version: Types.ObjectId): Promise<string[]> {
    const created = replacements.filter(({ before }) => !before);
    const changed = replacements.flatMap(({ before, after }) => (before ? [{ before, after }] : []));
    const replaced: string[] = [];
    if (created.length > 0) {
      const failures = await insertManyUnordered(
        this.usages,
        created.map(({ after }) => after),
      );
      for (const [index, { after }] of created.entries()) {
        const failure = failures[index];
        if (!failure) replaced.push(after._id.toHexString());
        else if (!isDuplicateKey(failure)) throw failure;
      }
    }
    if (changed.length === 0) return replaced;
    const result = await this.usages.collection.bulkWrite(
      changed.map(({ before, after }) => ({
        replaceOne: { filter: { _id: before._id, version: before.version }, replacement: after },
      })),
      { ordered: false },
    );
    const ids = changed.map(({ after }) => after._id);
    // The result does not tell which of several were replaced.
    const own =
      result.modifiedCount === ids.length
        ? ids
        : (await this.usages.find({ _id: { $in: ids }, version }, { _id: 1 }).lean()).map(({ _id }) => _id);
    return [...replaced, ...own.map((id) => id.toHexString())];
  }
}

interface Replacement {
  readonly before: SimUsage | undefined;
  readonly after: SimUsage;
}

function newUsage([change]: readonly UsageChange[]): SimUsage {
  if (!change) throw new Error('There is no change to create a usage for');
  return { _id: change.sim, user: change.user, version: new Types.ObjectId(), reservations: [] };
}
