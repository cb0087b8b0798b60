import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { RetentionConfig } from '../../config/sections/retention.config';
import { MessageDeletionService } from '../../messages/deletion/message-deletion.service';
import { TotalsService } from '../rollups/totals.service';
import { removableBefore, type Retention, retentionIntervalMs } from './retention';
import { MessageRetentionRepository, type RemovalLimits } from './message-retention.repository';

/** Removes old messages, and those that their owner has deleted, once they are part of all totals. */
@Injectable()
export class MessageRetention implements Retention {
  constructor(
    private readonly config: RetentionConfig,
    private readonly repository: MessageRetentionRepository,
    private readonly totals: TotalsService,
    private readonly deletion: MessageDeletionService,
    private readonly clock: Clock,
  ) {}

  get intervalMs(): number {
    return retentionIntervalMs(this.config.messagesDays);
  }

  async removeOld(account: AccountScope, now: Date): Promise<void> {
    await this.deletion.completeDevices(account);
    const closed = await this.totals.close(account, this.totals.closableUntil(now));
    await this.removeCounted(account, removableBefore(closed));
  }

  /** @param countedBefore a time of the database, up to which all totals are closed. */
  async removeCounted(account: AccountScope, countedBefore: Date): Promise<void> {
    const now = this.clock.now();
    const ageMs = this.config.messagesDays * DAY_MS;
    const limits: RemovalLimits = {
      ...(ageMs > 0 && { createdBefore: new Date(now.getTime() - ageMs) }),
      settledBefore: new Date(now.getTime() - Math.min(DAY_MS, ageMs || DAY_MS)),
      redeliveredBefore: now,
      countedBefore,
    };
    for (const batch of await this.repository.listBatches(account, limits)) {
      if (await this.repository.mustKeep(batch, limits)) continue;
      await this.repository.hideBatch(account, batch, now);
      if (await this.repository.removeMessagesOf(account, batch, limits))
        await this.repository.removeBatch(account, batch);
    }
    while ((await this.repository.removeUnbatched(account, limits)) > 0);
  }
}
