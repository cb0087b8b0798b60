import { Injectable, Logger } from '@nestjs/common';
import { accountScope, type AccountScope } from '../auth/account-scope';
import { RequestRateLimiter } from '../auth/limits/request-rate-limiter.service';
import { Clock } from '../common/clock';
import { formatError } from '../common/format-error';
import { AccountClosureService } from './account-closure.service';
import { ErasureRepository } from './erasure.repository';
import { MINUTE_MS } from '../common/durations';

/**
 * How long the account document stays after its data is removed: longer than any request or job that started before the
 * erasure, so that what they still write is removed too.
 */
export const ERASURE_GRACE_PERIOD_MS = 10 * MINUTE_MS;

/**
 * Removes an account with all its data. The first write marks the account as being erased and closes it; all later steps
 * are idempotent, so any process can resume an erasure that another one did not finish.
 */
@Injectable()
export class ErasureService {
  private readonly logger = new Logger(ErasureService.name);

  constructor(
    private readonly erasures: ErasureRepository,
    private readonly closing: AccountClosureService,
    private readonly rateLimiter: RequestRateLimiter,
    private readonly clock: Clock,
  ) {}

  /** Marks and closes the account: its keys and sessions are refused, and its phones receive no messages. */
  async start(account: AccountScope): Promise<void> {
    if (await this.erasures.start(account, this.clock.now())) await this.closing.close(account);
  }

  /** Resumes the erasures in progress. Safe to run in several processes at the same time. */
  async resume(): Promise<void> {
    for (const { _id: user, erasingSince } of await this.erasures.list()) {
      try {
        await this.erase(accountScope(user), erasingSince);
      } catch (failure) {
        this.logger.error(
          `The erasure of account ${user.toHexString()} failed and will be retried: ${formatError(failure)}`,
        );
      }
    }
  }

  /** Removes all data of a closed account except the account document. @returns the number of removed documents. */
  async removeData(account: AccountScope): Promise<number> {
    let total = (await this.erasures.removeUsage(account)) ? 1 : 0;
    for (const collection of this.erasures.collections) {
      for (;;) {
        const documents = await this.erasures.listBatch(account, collection);
        if (documents.length === 0) break;
        await this.rateLimiter.removeAllKnown(documents.flatMap(({ hash }) => hash ?? []));
        await this.erasures.removeBatch(account, collection, documents);
        total += documents.length;
      }
    }
    return total;
  }

  private async erase(account: AccountScope, since: Date): Promise<void> {
    // The process that marked the account may have died before closing it.
    await this.closing.close(account);
    const removed = await this.removeData(account);
    const age = this.clock.now().getTime() - since.getTime();
    if (removed > 0 || age < ERASURE_GRACE_PERIOD_MS) return;
    await this.erasures.removeAccount(account.user);
    this.logger.log(`Account ${account.user.toHexString()} was erased`);
  }
}
