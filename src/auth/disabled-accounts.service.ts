import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from './account-scope';
import { AccountsRepository } from './accounts.repository';

/** How long an account that was disabled or enabled may still be taken for what it was. */
const FRESH_MS = 1_000;

/**
 * The accounts that an operator has disabled. They are few: all are read at once, at most once a second and only while
 * somebody asks, so that authentication costs no read more.
 */
@Injectable()
export class DisabledAccounts {
  private ids: ReadonlySet<string> = new Set();
  private freshUntil = 0;
  private reading?: Promise<void>;

  constructor(private readonly accounts: AccountsRepository) {}

  /** Whether the account is disabled: nothing opens it, and nothing is sent for it. */
  async has({ user }: AccountScope): Promise<boolean> {
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
    const asked = performance.now();
    const ids: readonly Types.ObjectId[] = await this.accounts.listDisabledIds();
    this.ids = new Set(ids.map((id) => id.toHexString()));
    this.freshUntil = asked + FRESH_MS;
  }
}
