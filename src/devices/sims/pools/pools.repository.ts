import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { insertUnlessDuplicate, isDuplicateKey } from '../../../infrastructure/mongo/duplicate-key';
import { Pool } from './pool.schema';

@Injectable()
export class PoolsRepository {
  constructor(@InjectModel(Pool.name) private readonly pools: Model<Pool>) {}

  /** The pools of the account by name. */
  list({ user }: AccountScope): Promise<Pool[]> {
    return this.pools.find({ user }).sort({ name: 1 }).lean<Pool[]>();
  }

  find({ user }: AccountScope, id: Types.ObjectId): Promise<Pool | null> {
    return this.pools.findOne({ _id: id, user }).lean<Pool>();
  }

  count({ user }: AccountScope): Promise<number> {
    return this.pools.countDocuments({ user });
  }

  /** @returns false if the account has a pool of this name. */
  insert(pool: Pool): Promise<boolean> {
    return insertUnlessDuplicate(this.pools, pool);
  }

  /**
   * Replaces the fields of a pool, unless it has changed since it was read.
   * @returns `conflict` if it has changed or is gone, `taken` if another pool of the account has the name.
   */
  async update(before: Pool, after: Pool): Promise<'updated' | 'conflict' | 'taken'> {
    const { name, sims, strategy, countries, updatedAt } = after;
    try {
      const result = await this.pools.updateOne(
        { _id: before._id, user: before.user, updatedAt: before.updatedAt },
        {
          $set: { name, sims, strategy, updatedAt, ...(countries && { countries }) },
          ...(!countries && { $unset: { countries: 1 } }),
        },
      );
      return result.matchedCount === 1 ? 'updated' : 'conflict';
    } catch (failure) {
      if (isDuplicateKey(failure)) return 'taken';
      throw failure;
    }
  }

  /** Counts messages that round-robin has assigned. */
  async addTurns({ user }: AccountScope, id: Types.ObjectId, count: number): Promise<void> {
    await this.pools.updateOne({ _id: id, user }, { $inc: { turn: count } });
  }

  /** @returns false if there is no such pool. */
  async remove({ user }: AccountScope, id: Types.ObjectId): Promise<boolean> {
    return (await this.pools.deleteOne({ _id: id, user })).deletedCount === 1;
  }
}
