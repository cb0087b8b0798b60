import { Injectable, Logger } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { formatError } from '../../common/format-error';
import { groupsOf } from '../../common/group-by';
import { TaskLimiter } from '../../common/task-limiter';
import { CancellationRunner } from './cancellation-runner.service';
import { CancellationRepository, type ExpiredMessage } from './cancellation.repository';

const MESSAGE_BATCH_SIZE = 1_000;
const ACCOUNT_CONCURRENCY = 10;

/** Fails messages that were not handed to a phone by their deadline. Safe to run in several processes. */
@Injectable()
export class ExpiryService {
  private readonly logger = new Logger(ExpiryService.name);
  private readonly limiter = new TaskLimiter(ACCOUNT_CONCURRENCY);

  constructor(
    private readonly messages: CancellationRepository,
    private readonly runner: CancellationRunner,
    private readonly clock: Clock,
  ) {}

  /** Expires the messages of all accounts whose deadline has come, and refunds them to the plans, once. */
  async expireDue(): Promise<void> {
    let found: readonly ExpiredMessage[];
    let count: number;
    do {
      found = await this.messages.listExpired(this.clock.now(), MESSAGE_BATCH_SIZE);
      const byAccount = groupsOf(found, ({ user }) => user.toHexString());
      const counts = await Promise.all(
        byAccount.map((messages) => this.limiter.run(() => this.expireOfAccount(messages))),
      );
      count = counts.reduce((sum, each) => sum + each, 0);
    } while (found.length >= MESSAGE_BATCH_SIZE && count > 0);
  }

  async isDueBefore(time: Date): Promise<boolean> {
    return (await this.messages.listExpired(time, 1)).length > 0;
  }

  /** @returns how many; 0 if it failed: the next run continues. */
  private async expireOfAccount(messages: [ExpiredMessage, ...ExpiredMessage[]]): Promise<number> {
    const [{ user }] = messages;
    try {
      return await this.runner.expire(accountScope(user), messages, this.clock.now());
    } catch (failure) {
      this.logger.error(
        `The messages of account ${user.toHexString()} did not expire; the next run retries it: ${formatError(failure)}`,
      );
      return 0;
    }
  }
}
