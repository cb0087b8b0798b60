import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { Clock } from '../common/clock';
import { RegistrationsBusy } from './devices.errors';

/** How long a registration may hold the lease, and how long others wait for it. */
const LEASE_MS = 5_000;
const WAIT_LIMIT_MS = 10_000;
const RETRY_MS = 25;

/** One registration of an account at a time, so that one phone never becomes two devices. */
@Injectable()
export class RegistrationLease {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Does the work while it holds the account's lease.
   * @throws RegistrationsBusy when others hold the lease for 10 s.
   */
  async run<Result>(account: AccountScope, work: () => Promise<Result>): Promise<Result> {
    const lease = await this.acquire(account);
    try {
      return await work();
    } finally {
      await this.accounts.endRegistrationTurn(account, lease);
    }
  }

  private async acquire(account: AccountScope): Promise<Types.ObjectId> {
    const lease = new Types.ObjectId();
    for (let waited = 0; waited < WAIT_LIMIT_MS; waited += RETRY_MS) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + LEASE_MS);
      if (await this.accounts.takeRegistrationTurn(account, lease, until, now)) return lease;
      await sleep(RETRY_MS);
    }
    throw new RegistrationsBusy();
  }
}
