import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { SimHealthService } from '../../devices/sims/health/sim-health.service';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';
import { PoolMembers } from './pool-members.service';
import { PoolMessagesRepository } from './pool-messages.repository';
import { PoolView } from './pool-view';

/** For how long a recipient keeps hearing from the same SIM. */
const STICKY_MS = 90 * DAY_MS;

/**
 * For more recipients, the SIMs that they last heard from are not looked up, which takes 0.3 ms for each; the choice by
 * recipient is mostly the same anyway.
 */
const MAX_STICKY_NUMBERS = 2_000;

/** Opens pools, to choose the SIMs of messages. */
@Injectable()
export class PoolViews {
  constructor(
    private readonly pools: PoolsRepository,
    private readonly members: PoolMembers,
    private readonly messages: PoolMessagesRepository,
    private readonly health: SimHealthService,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a pool. The number of queries does not depend on the number of SIMs.
   * @param numbers the recipients to choose for, as `contactNumber`; those of a sticky pool keep the SIM they last heard from.
   * @returns null if the account has no such pool, or no longer: messages of a deleted pool stay with their SIMs.
   */
  async open(
    account: AccountScope,
    poolId: Types.ObjectId,
    numbers: readonly string[],
  ): Promise<PoolView | null> {
    const pool = await this.pools.find(account, poolId);
    if (!pool) return null;
    const [members, previousSims] = await Promise.all([
      this.members.load(account, pool.sims),
      this.previousSims(account, pool, numbers),
    ]);
    const facts = { pool, members, previousSims, now: this.clock.now() };
    return new PoolView(facts, (count) => this.pools.addTurns(account, poolId, count));
  }

  /** Lets a message be the canary of a SIM whose breaker is not closed, see `SimHealthService`. @returns whether it may be. */
  claimCanary(sim: Types.ObjectId, contactNumber: string): Promise<boolean> {
    return this.health.claimCanary(sim, contactNumber);
  }

  private async previousSims(
    account: AccountScope,
    { strategy, sims }: Pool,
    numbers: readonly string[],
  ): Promise<Map<string, string>> {
    const unique = [...new Set(numbers)];
    if (strategy !== 'sticky' || sims.length < 2 || unique.length > MAX_STICKY_NUMBERS) return new Map();
    const since = new Date(this.clock.now().getTime() - STICKY_MS);
    return this.messages.findPreviousSims(account, sims, unique, since);
  }
}
