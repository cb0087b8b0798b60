import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { peerNumber, parseCountry } from '../../common/peer-number';
import { mapInSlices } from '../../common/slices';
import { DAY_MS } from '../../common/durations';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';
import { PoolMembersReader } from './pool-members.service';
import { PoolMessagesRepository } from './pool-messages.repository';
import type { PoolMember } from './pool-sim';
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
    private readonly members: PoolMembersReader,
    private readonly messages: PoolMessagesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Opens a pool for messages that are bound to SIMs of it. The number of queries does not depend on the number of SIMs.
   * @returns null if the account has no such pool, or no longer: messages of a deleted pool stay with their SIMs.
   */
  async open(account: AccountScope, poolId: Types.ObjectId): Promise<PoolView | null> {
    const pool = await this.pools.find(account, poolId);
    return pool && this.view(account, pool, []);
  }

  /**
   * Opens a pool again as it was, for messages that leave their SIMs.
   * @param numbers their recipients, as `peerNumber`; those of a sticky pool go to the SIM they last heard from.
   */
  async reopen(account: AccountScope, view: PoolView, numbers: readonly string[]): Promise<PoolView> {
    return view.reopened(await this.previousSims(account, view.pool, numbers));
  }

  /**
   * Opens a pool for recipients as the request gives them. Numbers without a + are read in the country of the account, else in
   * that of the first SIM of the pool that tells one.
   * @returns the view, and a function that gives a recipient in comparable form.
   */
  async openFor(
    account: AccountScope,
    pool: Pool,
    recipients: readonly string[],
    defaultCountry: string | undefined,
  ) {
    const isLocal = recipients.some((recipient) => !recipient.startsWith('+'));
    const ofAccount = parseCountry(defaultCountry);
    const members = isLocal && !ofAccount ? await this.members.load(account, pool.sims) : undefined;
    const country = ofAccount ?? parseCountry(members?.find(({ sim }) => sim.countryIso)?.sim.countryIso);
    const peerNumberOf = (recipient: string) => peerNumber(recipient, country);
    return {
      view: await this.view(account, pool, await mapInSlices(recipients, peerNumberOf), members),
      peerNumberOf,
    };
  }

  private async view(
    account: AccountScope,
    pool: Pool,
    numbers: readonly string[],
    loaded?: readonly PoolMember[],
  ): Promise<PoolView> {
    const [members, previousSims] = await Promise.all([
      loaded ?? this.members.load(account, pool.sims),
      this.previousSims(account, pool, numbers),
    ]);
    const facts = { pool, members, previousSims, now: this.clock.now() };
    return new PoolView(facts, (count) => this.pools.addTurns(account, pool._id, count));
  }

  private async previousSims(
    account: AccountScope,
    { strategy, sims }: Pool,
    numbers: readonly string[],
  ): Promise<Map<string, string>> {
    const unique = [...new Set(numbers)];
    if (strategy !== 'sticky' || sims.length < 2) return new Map();
    if (unique.length === 0 || unique.length > MAX_STICKY_NUMBERS) return new Map();
    const since = new Date(this.clock.now().getTime() - STICKY_MS);
    return this.messages.findPreviousSims(account, sims, unique, since);
  }
}
