import { Injectable } from '@nestjs/common';
import { MemoizedValue } from '../../common/memoized-value';
import type { AccountScope } from '../account-scope';
import { AccountsRepository } from './accounts.repository';

const CACHE_TTL_MS = 1_000;

/** Caches the ids of all disabled accounts for a second. They are few, so authentication needs no read per account. */
@Injectable()
export class DisabledAccountsService {
  private readonly ids = new MemoizedValue(
    CACHE_TTL_MS,
    async () => new Set((await this.accounts.listDisabledIds()).map(String)),
  );

  constructor(private readonly accounts: AccountsRepository) {}

  /** May be up to a second out of date if another process has changed it. */
  async isDisabled({ user }: AccountScope): Promise<boolean> {
    return (await this.ids.read()).has(user.toHexString());
  }

  /** Call it after an account was disabled or enabled. */
  forget(): void {
    this.ids.forget();
  }
}
