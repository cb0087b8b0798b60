import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { RetentionConfig } from '../../config/sections/retention.config';
import { ConversationProjector } from '../../messages/conversations/conversation-projector.service';
import { MessageDeletionService } from '../../messages/deletion/message-deletion.service';
import { TotalsService } from '../rollups/totals.service';
import { removableBefore, type Retention, retentionIntervalMs } from './retention';
import {
  MessageRetentionRepository,
  type Position,
  type RemovalLimits,
  type RemovalSearch,
} from './message-retention.repository';

/** Removes old messages, and those that their owner has deleted, once they are part of all totals. */
@Injectable()
export class MessageRetention implements Retention {
  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: MessageRetentionRepository,
    private readonly totals: TotalsService,
    private readonly deletion: MessageDeletionService,
    private readonly conversations: ConversationProjector,
    private readonly clock: Clock,
  ) {}

  get intervalMs(): number {
    return retentionIntervalMs(this.config.messagesDays);
  }

  async removeOld(account: AccountScope, now: Date): Promise<void> {
    await this.deletion.completeDevices(account);
    await this.conversations.refreshDeletedDevices(account);
    const closed = await this.totals.closeUntil(account, now);
    await this.removeCounted(account, removableBefore(closed));
  }

  /** @param countedBefore a time of the database, up to which all totals are closed. */
  async removeCounted(account: AccountScope, countedBefore: Date): Promise<void> {
    const now = this.clock.now();
    const ageMs = this.config.messagesDays * DAY_MS;
    const limits: RemovalLimits = {
      settledBefore: new Date(now.getTime() - Math.min(DAY_MS, ageMs || DAY_MS)),
      redeliveredBefore: now,
      countedBefore,
    };
    if (ageMs > 0) {
      const before = new Date(now.getTime() - ageMs);
      await this.removeFound(account, { by: 'creation', before }, limits, now);
      await this.conversations.refreshBefore(account, before);
    }
    await this.removeFound(account, { by: 'deletion', before: limits.settledBefore }, limits, now);
  }

  private async removeFound(
    account: AccountScope,
    search: RemovalSearch,
    limits: RemovalLimits,
    now: Date,
  ): Promise<void> {
    let after: Position | undefined;
    do {
      const batches = await this.repository.listBatches(account, search, after);
      for (const { _id } of batches) await this.removeBatch(account, _id, limits, now);
      after = batches.at(-1);
    } while (after);
    do after = await this.repository.removeUnbatched(account, search, limits, after);
    while (after);
  }

  /** Removes a batch as a whole, unless one of its messages must be kept. */
  private async removeBatch(
    account: AccountScope,
    batch: Types.ObjectId,
    limits: RemovalLimits,
    now: Date,
  ): Promise<void> {
    if (await this.repository.mustKeep(batch, limits)) return;
    await this.repository.hideBatch(account, batch, now);
    if (await this.repository.removeMessagesOf(account, batch, limits))
      await this.repository.removeBatch(account, batch);
  }
}
