import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS, HOUR_MS } from '../../common/durations';
import { RetentionConfig } from '../../config/sections/retention.config';
import { ConversationProjector } from '../../messages/conversations/conversation-projector.service';
import { MessageDeletionService } from '../../messages/deletion/message-deletion.service';
import { removableBefore } from '../../totals/periods';
import { TotalsService } from '../../totals/totals.service';
import { MessageRetentionRepository, type Removal } from './message-retention.repository';

/** Removes old messages, and those that their owner has deleted, once they are part of all totals. */
@Injectable()
export class MessageRetention {
  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: MessageRetentionRepository,
    private readonly totals: TotalsService,
    private readonly deletion: MessageDeletionService,
    private readonly conversations: ConversationProjector,
    private readonly clock: Clock,
  ) {}

  /** An hour, or less if messages are kept for less. */
  get intervalMs(): number {
    return Math.min(HOUR_MS, this.config.messagesDays * DAY_MS || HOUR_MS);
  }

  async maintain(account: AccountScope, now: Date): Promise<void> {
    await this.deletion.completeDevices(account);
    await this.conversations.refreshDeletedDevices(account);
    const closed = await this.totals.maintain(account, now);
    await this.removeCounted(account, removableBefore(closed));
  }

  /** @param countedBefore a time of the database, up to which all totals are closed. */
  async removeCounted(account: AccountScope, countedBefore: Date): Promise<void> {
    const now = this.clock.now();
    const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
    const { messagesDays } = this.config;
    const settledBefore = daysAgo(Math.min(1, messagesDays || 1));
    const limits = { settledBefore, redeliveredBefore: now, countedBefore };
    if (messagesDays > 0) {
      const before = daysAgo(messagesDays);
      await this.remove(account, { by: 'creation', before, ...limits }, now);
      await this.conversations.refreshBefore(account, before);
    }
    await this.remove(account, { by: 'deletion', before: settledBefore, ...limits }, now);
  }

  /** Removes messages without a batch, and batches as a whole, unless one of their messages must be kept. */
  private async remove(account: AccountScope, removal: Removal, now: Date): Promise<void> {
    let batches = await this.repository.listBatches(account, removal);
    while (batches.length > 0) {
      const ids = batches.map(({ _id }) => _id);
      const removable = await this.repository.listRemovable(account, ids, removal);
      await this.repository.hideBatches(account, removable, now);
      await this.repository.removeMessagesOf(account, removable, removal);
      await this.repository.removeEmpty(account, removable);
      batches = await this.repository.listBatches(account, removal, batches.at(-1));
    }
    await this.repository.removeUnbatched(account, removal);
  }
}
