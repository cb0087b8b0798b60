import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { OperatorError } from '../../common/errors';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { accountScope, AccountScope } from '../account-scope';
import { newVerifiedAccount } from './account.schema';
import { AccountsRepository, type AccountSummary } from './accounts.repository';
import { DisabledAccountsService } from './disabled-accounts.service';
import { normalizeEmail } from './normalize-email';

const PAGE_SIZE = 500;
const MAX_EMAILS_IN_ERROR = 20;

/** The operator's actions on accounts: admin commands, and the operations of the API. */
@Injectable()
export class AccountAdministrationService {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a verified account without a password; a password reset sets one.
   * @param plan an existing plan; undefined for the default plan.
   * @throws OperatorError if the address is taken.
   */
  async create(email: string, name: string, plan: string | undefined): Promise<AccountScope> {
    const user = new Types.ObjectId();
    const created = await this.accounts.create(
      newVerifiedAccount(
        { _id: user, email: normalizeEmail(email), name, ...(plan !== undefined && { plan }) },
        this.clock.now(),
      ),
    );
    if (!created) throw new OperatorError(`An account with the e-mail address ${email} already exists`);
    return accountScope(user);
  }

  /**
   * @param email undefined if there is only one account.
   * @throws OperatorError if there is no such account, or several and no address.
   */
  async find(email: string | undefined): Promise<AccountScope> {
    if (email === undefined) return this.findOnly();
    const found = await this.accounts.findCredentials(normalizeEmail(email));
    if (!found) throw new OperatorError(`No account has the e-mail address ${email}`);
    return accountScope(found._id);
  }

  /** @param plan an existing plan. */
  async setPlan(account: AccountScope, plan: string): Promise<void> {
    await this.accounts.setPlan(account, plan, this.clock.now());
  }

  /** Refuses the account's keys and sessions, closes its streams and holds its messages until it is enabled. */
  async disable(account: AccountScope): Promise<void> {
    await this.accounts.disable(account, this.clock.now());
    this.disabledAccounts.forget();
    await this.accessChanges.publish(account);
  }

  async enable(account: AccountScope): Promise<void> {
    await this.accounts.enable(account, this.clock.now());
    this.disabledAccounts.forget();
    await this.accessChanges.publish(account);
  }

  /** Makes the account an operator's, or no longer; the next request of its sessions counts. */
  async setOperator(account: AccountScope, isOperator: boolean): Promise<void> {
    await this.accounts.setOperator(account, isOperator, this.clock.now());
  }

  /** Yields all accounts in the order of their addresses, read page by page. */
  async *list(): AsyncGenerator<AccountSummary> {
    for (let after = ''; ;) {
      const page = await this.accounts.listAfter(after, PAGE_SIZE);
      yield* page;
      const last = page.at(-1);
      if (!last || page.length < PAGE_SIZE) return;
      after = last.email;
    }
  }

  private async findOnly(): Promise<AccountScope> {
    const [first, ...others] = await this.accounts.listAfter('', MAX_EMAILS_IN_ERROR + 1);
    if (!first)
      throw new OperatorError(
        'There is no account yet; the service creates one when it starts for the first time',
      );
    if (others.length === 0) return accountScope(first._id);
    const emails = [first, ...others].map(({ email }) => email);
    const listed =
      emails.length > MAX_EMAILS_IN_ERROR ? [...emails.slice(0, MAX_EMAILS_IN_ERROR), '…'] : emails;
    throw new OperatorError(
      `There are several accounts; specify the e-mail address of one: ${listed.join(', ')}`,
    );
  }
}
