import { Injectable, Logger } from '@nestjs/common';
import type { AccountScope } from '../auth/account-scope';
import { AccountsRepository } from '../auth/accounts.repository';
import { AttemptsService } from '../auth/attempts.service';
import { WrongPassword } from '../auth/auth.errors';
import { Passwords } from '../auth/passwords';
import { Clock } from '../common/clock';
import { Unauthorized } from '../common/errors';
import { failureLine } from '../common/failure-line';
import { AccountClosing } from './account-closing.service';
import { ErasureRepository } from './erasure.repository';

/**
 * How long the account's record stays after everything else is gone: longer than any request or job that began before
 * lives, so that what such a straggler still writes is removed as well.
 */
export const STRAGGLER_LIMIT_MS = 10 * 60_000;
const MAX_ACCOUNTS_PER_RUN = 20;

/**
 * Removes an account and everything of it. The mark on the account comes first and closes it; everything after can be
 * repeated, so whoever finds the mark goes on where another process died.
 */
@Injectable()
export class ErasureService {
  private readonly logger = new Logger(ErasureService.name);

  constructor(
    private readonly erasures: ErasureRepository,
    private readonly closing: AccountClosing,
    private readonly accounts: AccountsRepository,
    private readonly attempts: AttemptsService,
    private readonly passwords: Passwords,
    private readonly clock: Clock,
  ) {}

  /**
   * Begins the erasure for its owner: the account is closed when this returns, and its data goes within minutes.
   * @throws WrongPassword, TooManyAttempts, Unauthorized
   */
  async requestByOwner(account: AccountScope, password: string, address: string): Promise<void> {
    const login = await this.accounts.findOwnLogin(account);
    if (!login) throw new Unauthorized();
    const attempt = { kind: 'login', account: login.email, address } as const;
    await this.attempts.count(attempt);
    if (!(await this.passwords.isRight(password, login.passwordHash))) throw new WrongPassword();
    await this.attempts.forgive(attempt);
    await this.begin(account);
  }

  /** Marks and closes the account: keys and sessions are refused, phones are handed nothing. */
  async begin(account: AccountScope): Promise<void> {
    if (await this.erasures.begin(account, this.clock.now())) await this.closing.close(account);
  }

  /** Goes on with the erasures that were begun. Safe to run in every process at once. */
  async resume(): Promise<void> {
    for (const { _id: user, erasingSince } of await this.erasures.list(MAX_ACCOUNTS_PER_RUN)) {
      try {
        await this.erase({ user }, erasingSince);
      } catch (failure) {
        this.logger.error(
          `The erasure of account ${user.toHexString()} failed and is tried again: ${failureLine(failure)}`,
        );
      }
    }
  }

  /** Removes everything of a closed account but its record. @returns how many documents there were. */
  async removeData(account: AccountScope): Promise<number> {
    let total = (await this.erasures.removeUsage(account)) ? 1 : 0;
    for (const collection of this.erasures.collections) {
      for (;;) {
        const removed = await this.erasures.removeBatch(account, collection);
        if (removed === 0) break;
        total += removed;
      }
    }
    return total;
  }

  private async erase(account: AccountScope, since: Date): Promise<void> {
    // The process that marked the account may have died before it was closed.
    await this.closing.close(account);
    const removed = await this.removeData(account);
    const age = this.clock.now().getTime() - since.getTime();
    if (removed > 0 || age < STRAGGLER_LIMIT_MS) return;
    await this.erasures.finish(account.user);
    this.logger.log(`Account ${account.user.toHexString()} is erased`);
  }
}
