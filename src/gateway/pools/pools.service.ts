import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { KeyedQueue } from '../../common/keyed-queue';
import { parseId } from '../../common/http/requests/id.pipe';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import type { PoolStrategy } from '../../devices/sims/pools/choose-sim';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';
import { SimsRepository } from '../../devices/sims/sims.repository';
import { type PoolSimsInput, readPoolSims } from './pool-input';
import { PoolMessagesRepository } from '../senders/pool-messages.repository';
import {
  MAX_POOLS_PER_ACCOUNT,
  PoolHasMessages,
  PoolLimitReached,
  PoolNotFound,
} from '../senders/pool.errors';
import { byId } from '../../common/documents';

/** Waiting messages are counted up to this number. */
const MAX_COUNTED_MESSAGES = 10_000;

export interface NewPool {
  readonly name: string;
  /** Hex ids. */
  readonly sims: string[];
  /** Default: sticky. */
  readonly strategy?: PoolStrategy;
  /** By prefix of the recipient's number, the hex ids of the SIMs that may send there. */
  readonly countries?: Record<string, string[]> | null;
  readonly isDefault?: boolean;
}

/** Fields to change; `countries: null` removes the rules. */
export type PoolPatch = Partial<NewPool>;

export interface PoolWithDefault {
  readonly pool: Pool;
  /** Whether it takes the sends that name neither a device nor a pool. */
  readonly isDefault: boolean;
}

/** The pools of an account, for their owner. */
@Injectable()
export class PoolsService {
  private readonly writes = new KeyedQueue();

  constructor(
    private readonly pools: PoolsRepository,
    private readonly sims: SimsRepository,
    private readonly accounts: AccountsRepository,
    private readonly messages: PoolMessagesRepository,
    private readonly clock: Clock,
  ) {}

  /** Lists the pools of the account by name. */
  async list(account: AccountScope): Promise<PoolWithDefault[]> {
    const [pools, sendingAccount] = await Promise.all([
      this.pools.list(account),
      this.accounts.findSendingAccount(account),
    ]);
    return pools.map((pool) => ({ pool, isDefault: pool._id.equals(sendingAccount?.defaultPool ?? '') }));
  }

  /** @throws PoolNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<PoolWithDefault> {
    const [pool, sendingAccount] = await Promise.all([
      this.pools.find(account, id),
      this.accounts.findSendingAccount(account),
    ]);
    if (!pool) throw new PoolNotFound();
    return { pool, isDefault: id.equals(sendingAccount?.defaultPool ?? '') };
  }

  /** @throws PoolLimitReached, ValidationFailed for an unknown SIM, an invalid rule or a name that is taken. */
  async create(account: AccountScope, input: NewPool): Promise<PoolWithDefault> {
    const { name, strategy = 'sticky', isDefault } = input;
    const now = this.clock.now();
    const pool: Pool = {
      _id: new Types.ObjectId(),
      user: account.user,
      name,
      ...(await this.readSims(account, { sims: input.sims, countries: input.countries ?? undefined })),
      strategy,
      createdAt: now,
      updatedAt: now,
    };
    await this.writes.run(account.user.toHexString(), async () => {
      if (!(await this.pools.insert(pool))) throw nameTaken();
      // Counted afterwards, so that calls to several processes cannot exceed the limit.
      if ((await this.pools.count(account)) <= MAX_POOLS_PER_ACCOUNT) return;
      await this.pools.remove(account, pool._id);
      throw new PoolLimitReached();
    });
    if (isDefault) await this.accounts.setDefaultPool(account, pool._id, now);
    return this.get(account, pool._id);
  }

  /**
   * Changes the given fields. Messages of a SIM that is no longer in the pool move when they are due.
   * @throws PoolNotFound, ValidationFailed for an unknown SIM, an invalid rule or a name that is taken.
   */
  async update(account: AccountScope, id: Types.ObjectId, patch: PoolPatch): Promise<PoolWithDefault> {
    await this.writes.run(account.user.toHexString(), async () => {
      for (;;) {
        const before = await this.pools.find(account, id);
        if (!before) throw new PoolNotFound();
        const result = await this.pools.update(before, await this.changed(account, before, patch));
        if (result === 'taken') throw nameTaken();
        if (result === 'updated') return;
        // Another process was faster.
      }
    });
    const now = this.clock.now();
    if (patch.isDefault === true) await this.accounts.setDefaultPool(account, id, now);
    if (patch.isDefault === false) await this.accounts.unsetDefaultPool(account, id, now);
    return this.get(account, id);
  }

  /**
   * Deletes a pool. Its waiting messages stay with their SIMs.
   * @param keepsPending whether it is deleted although messages wait in it.
   * @throws PoolNotFound, PoolHasMessages
   */
  async remove(account: AccountScope, id: Types.ObjectId, keepsPending: boolean): Promise<void> {
    if (!(await this.pools.find(account, id))) throw new PoolNotFound();
    const count = keepsPending ? 0 : await this.messages.countWaiting(account, id, MAX_COUNTED_MESSAGES + 1);
    if (count > 0)
      throw new PoolHasMessages(Math.min(count, MAX_COUNTED_MESSAGES), count > MAX_COUNTED_MESSAGES);
    if (!(await this.pools.remove(account, id))) throw new PoolNotFound();
    await this.accounts.unsetDefaultPool(account, id, this.clock.now());
  }

  private async changed(account: AccountScope, before: Pool, patch: PoolPatch): Promise<Pool> {
    const { name = before.name, strategy = before.strategy, sims, countries } = patch;
    const changesSims = sims !== undefined || countries !== undefined;
    const { countries: storedRules, ...stored }: Pick<Pool, keyof Pool> = before;
    const rules = countries === undefined ? rulesOf(before) : (countries ?? undefined);
    return {
      ...stored,
      ...(changesSims
        ? await this.readSims(account, { sims: sims ?? before.sims.map(String), countries: rules })
        : storedRules && { countries: storedRules }),
      name,
      strategy,
      // Later than the one that the update is conditional on.
      updatedAt: new Date(Math.max(this.clock.now().getTime(), before.updatedAt.getTime() + 1)),
    };
  }

  private async readSims(
    account: AccountScope,
    input: PoolSimsInput,
  ): Promise<Pick<Pool, 'sims' | 'countries'>> {
    const ids = input.sims.flatMap((id) => (typeof id === 'string' ? (parseId(id) ?? []) : []));
    const known = byId(await this.sims.findMany(account, ids));
    return readPoolSims(input, (id) => known.has(id.toHexString()));
  }
}

const nameTaken = () => ValidationFailed.of('name', 'is that of another pool of the account');

/** The country rules of a pool; a SIM that no longer exists is taken out of the list of SIMs only. */
export function rulesOf({ sims, countries }: Pool): Record<string, string[]> | undefined {
  const ids = new Set(sims.map(String));
  return (
    countries &&
    Object.fromEntries(
      Object.entries(countries).map(([prefix, rule]) => [
        prefix,
        rule.map(String).filter((id) => ids.has(id)),
      ]),
    )
  );
}
