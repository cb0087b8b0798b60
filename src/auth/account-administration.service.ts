import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { OperatorError } from '../common/errors';
import { AccessChanges } from '../common/redis/access-changes';
import { AccountScope } from './account-scope';
import { AccountsRepository, type AccountSummary } from './accounts.repository';

const PAGE = 500;
/** Addresses in a text for people. */
const MOST_SHOWN = 20;

class NoSuchAccount extends OperatorError {
  constructor(email: string) {
    super(`There is no account with the e-mail address ${email}`);
  }
}

class NoAccount extends OperatorError {
  constructor() {
    super('There is no account yet; the first start of the service makes one');
  }
}

class SeveralAccounts extends OperatorError {
  constructor(emails: readonly string[]) {
    super(`There are several accounts; give the e-mail address of one: ${emails.join(', ')}`);
  }
}

class AccountExists extends OperatorError {
  constructor(email: string) {
    super(`There is an account with the e-mail address ${email} already`);
  }
}

/** What the operator does with accounts. The service itself never calls it on anybody's behalf. */
@Injectable()
export class AccountAdministration {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes a verified account without a password; a password reset sets one.
   * @param plan a plan that exists; undefined for the installation's default.
   * @throws AccountExists
   */
  async create(email: string, name: string, plan: string | undefined): Promise<AccountScope> {
    const now = this.clock.now();
    const user = new Types.ObjectId();
    const created = await this.accounts.create({
      _id: user,
      email: email.toLowerCase(),
      name,
      ...(plan !== undefined && { plan }),
      emailVerifiedAt: now,
      firstVerifiedAt: now,
      createdAt: now,
      updatedAt: now,
    });
    if (!created) throw new AccountExists(email);
    return { user };
  }

  /**
   * @param email undefined for the only account there is.
   * @throws NoSuchAccount, NoAccount, SeveralAccounts
   */
  async find(email: string | undefined): Promise<AccountScope> {
    if (email === undefined) return this.findOnly();
    const found = await this.accounts.findLogin(email.toLowerCase());
    if (!found) throw new NoSuchAccount(email);
    return { user: found._id };
  }

  /** @param plan a plan that exists. */
  async setPlan(account: AccountScope, plan: string): Promise<void> {
    await this.accounts.setPlan(account, plan, this.clock.now());
  }

  /** Refuses the account's keys and sessions, closes its streams, and sends nothing for it until it is enabled. */
  async disable(account: AccountScope): Promise<void> {
    await this.accounts.disable(account, this.clock.now());
    await this.accessChanges.announce(account);
  }

  async enable(account: AccountScope): Promise<void> {
    await this.accounts.enable(account, this.clock.now());
    await this.accessChanges.announce(account);
  }

  /** All accounts by address, a page of them in memory at a time. */
  async *list(): AsyncGenerator<AccountSummary> {
    for (let after = ''; ;) {
      const page = await this.accounts.listAfter(after, PAGE);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE) return;
      after = last.email;
    }
  }

  private async findOnly(): Promise<AccountScope> {
    const [first, ...others] = await this.accounts.listAfter('', MOST_SHOWN + 1);
    if (!first) throw new NoAccount();
    if (others.length === 0) return { user: first._id };
    const emails = [first, ...others].map(({ email }) => email);
    throw new SeveralAccounts(emails.length > MOST_SHOWN ? [...emails.slice(0, MOST_SHOWN), '…'] : emails);
  }
}
