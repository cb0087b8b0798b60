import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../account-scope';
import { AccountsRepository } from './accounts.repository';

const CACHE_TTL_MS = 1_000;

/** Caches the ids of all disabled accounts for a second. They are few, so authentication needs no read per account. */
@Injectable()
export class DisabledAccountsService {
  private ids: ReadonlySet<string> = new Set();
  private freshUntil = 0;
  private reading?: Promise<void>;

  constructor(private readonly accounts: AccountsRepository) {}

  /** May be up to a second out of date. */
  async isDisabled({ user }: AccountScope): Promise<boolean> {
    return (await this.load()).has(user.toHexString());
  }

  private async load(): Promise<ReadonlySet<string>> {
    if (performance.now() >= this.freshUntil) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await this.reading;
    }
    return this.ids;
  }

  private async read(): Promise<void> {
    const startedAt = performance.now();
    const ids: readonly Types.ObjectId[] = await this.accounts.listDisabledIds();
    this.ids = new Set(ids.map((id) => id.toHexString()));
    this.freshUntil = startedAt + CACHE_TTL_MS;
  }
}
