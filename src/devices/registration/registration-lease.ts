import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { Clock } from '../../common/clock';
import { KeyedQueue } from '../../common/keyed-queue';
import { RegistrationsBusy } from '../store/devices.errors';

const LEASE_MS = 5_000;
const WAIT_TIMEOUT_MS = 10_000;
const RETRY_INTERVAL_MS = 25;

/** Serializes the registrations of an account, so that a phone is never registered twice. */
@Injectable()
export class RegistrationLease {
  // Of the registrations that wait in this process, one asks for the lease.
  private readonly waiting = new KeyedQueue();

  constructor(
    private readonly accounts: AccountsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Runs a task while holding the account's lease.
   * @throws RegistrationsBusy if the lease is not available within 10 s.
   */
  async run<Result>(account: AccountScope, task: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + WAIT_TIMEOUT_MS;
    return this.waiting.run(account.user.toHexString(), async () => {
      const lease = await this.acquire(account, deadline);
      try {
        return await task();
      } finally {
        await this.accounts.releaseRegistrationLease(account, lease);
      }
    });
  }

  private async acquire(account: AccountScope, deadline: number): Promise<Types.ObjectId> {
    const lease = new Types.ObjectId();
    while (performance.now() < deadline) {
      const now = this.clock.now();
      const until = new Date(now.getTime() + LEASE_MS);
      if (await this.accounts.acquireRegistrationLease(account, lease, until, now)) return lease;
      await sleep(RETRY_INTERVAL_MS);
    }
    throw new RegistrationsBusy();
  }
}
