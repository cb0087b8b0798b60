import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { LiveHints } from '../../../infrastructure/live/live-hints';
import { ifDuplicate, insertUnlessDuplicate } from '../../../infrastructure/mongo/duplicate-key';
import { OwnedLoader } from '../../../infrastructure/mongo/owned-loader';
import { Pool } from './pool.schema';

@Injectable()
export class PoolsRepository {
  private readonly loader = new OwnedLoader((ids) => this.readMany(ids));

  constructor(
    @InjectModel(Pool.name) private readonly pools: Model<Pool>,
    private readonly hints: LiveHints,
  ) {}

  /** The pools of the account by name. */
  list({ user }: AccountScope): Promise<Pool[]> {
    return this.pools.find({ user }).sort({ name: 1 }).lean<Pool[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<Pool | null> {
    return this.loader.load(account, id);
  }

  count({ user }: AccountScope): Promise<number> {
    return this.pools.countDocuments({ user });
  }

  /** @returns false if the account has a pool of this name. */
  async insert(pool: Pool): Promise<boolean> {
    const isInserted = await insertUnlessDuplicate(this.pools, pool);
    if (isInserted) this.hints.publish(pool, 'pool', [pool._id]);
    return isInserted;
  }

  /**
   * Replaces the fields of a pool, unless it has changed since it was read.
   * @returns `conflict` if it has changed or is gone, `taken` if another pool of the account has the name.
   */
  update(before: Pool, after: Pool): Promise<'updated' | 'conflict' | 'taken'> {
    const { name, sims, strategy, countries, updatedAt } = after;
    return ifDuplicate('taken', async () => {
      const result = await this.pools.updateOne(
        { _id: before._id, user: before.user, updatedAt: before.updatedAt },
        {
          $set: { name, sims, strategy, updatedAt, ...(countries && { countries }) },
          ...(!countries && { $unset: { countries: 1 } }),
        },
      );
      this.hints.publish(before, 'pool', [before._id]);
      return result.matchedCount === 1 ? 'updated' : 'conflict';
    });
  }

  /** Continues the place of a SIM in another one, which turned out to be the same card. */
  async replaceSim(account: AccountScope, from: Types.ObjectId, into: Types.ObjectId): Promise<void> {
    for (;;) {
      const found = await this.pools.find({ user: account.user, sims: from }).lean<Pool[]>();
      if (found.length === 0) return;
      for (const pool of found) await this.update(pool, withReplaced(pool, from, into));
    }
  }

  /** Takes SIMs that are removed out of all pools of the account. */
  async removeSims({ user }: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.pools.updateMany(
      { user, sims: { $in: ids } },
      { $pull: { sims: { $in: ids } }, $set: { updatedAt: now } },
    );
    this.hints.publish({ user }, 'pool');
  }

  /** Counts messages that round-robin has assigned. */
  async addTurns({ user }: AccountScope, id: Types.ObjectId, count: number): Promise<void> {
    await this.pools.updateOne({ _id: id, user }, { $inc: { turn: count } });
  }

  /** @returns false if there is no such pool. */
  async remove({ user }: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const { deletedCount } = await this.pools.deleteOne({ _id: id, user });
    this.hints.publish({ user }, 'pool', [id]);
    return deletedCount === 1;
  }

  private readMany(ids: readonly Types.ObjectId[]): Promise<Pool[]> {
    return this.pools.find({ _id: { $in: ids } }).lean<Pool[]>();
  }
}

function withReplaced(pool: Pick<Pool, keyof Pool>, from: Types.ObjectId, into: Types.ObjectId): Pool {
  const replaced = (ids: readonly Types.ObjectId[]) => {
    const hexes = ids.map((id) => (id.equals(from) ? into : id).toHexString());
    return [...new Set(hexes)].map((id) => new Types.ObjectId(id));
  };
  const { countries, updatedAt } = pool;
  const rules = Object.entries(countries ?? {}).map(([prefix, ids]) => [prefix, replaced(ids)] as const);
  return {
    ...pool,
    sims: replaced(pool.sims),
    ...(countries && { countries: Object.fromEntries(rules) }),
    // Later than the one that the update is conditional on.
    updatedAt: new Date(updatedAt.getTime() + 1),
  };
}
