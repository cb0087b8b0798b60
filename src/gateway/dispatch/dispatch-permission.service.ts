import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { DisabledAccountsService } from '../../auth/accounts/disabled-accounts.service';
import { Clock } from '../../common/clock';
import { MINUTE_MS } from '../../common/durations';
import type { Batch } from '../../messages/batch.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import { WaitingMessagesRepository } from '../routing/waiting-messages.repository';
import { SuppressedMessages } from '../suppressions/suppressed-messages.service';

const DISABLED_ACCOUNT_RETRY_MS = MINUTE_MS;

/** Decides which due messages may leave, whatever phone or SIM would send them. */
@Injectable()
export class DispatchPermission {
  constructor(
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly suppressed: SuppressedMessages,
    private readonly waiting: WaitingMessagesRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Messages of a disabled account are due again later, and messages to blocked recipients fail.
   * @param due messages that no worker has claimed. @returns the others.
   */
  async permitted(batch: Batch, due: readonly OutgoingMessage[]): Promise<readonly OutgoingMessage[]> {
    if (!(await this.disabledAccounts.isDisabled(accountScope(batch.user))))
      return this.suppressed.withoutSuppressed(batch, due);
    const now = this.clock.now();
    await this.waiting.postpone(due, new Date(now.getTime() + DISABLED_ACCOUNT_RETRY_MS), now);
    return [];
  }
}
