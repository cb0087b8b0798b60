import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { periodOf } from '../../billing/usage/usage-period';
import { UsageRecountRepository } from '../../billing/usage/usage-recount.repository';
import { Clock } from '../../common/clock';
import type { RemovalWork } from '../../common/upkeep/removal-work';
import type { Removal } from '../../common/upkeep/removal.schema';
import { RetentionConfig } from '../../config/sections/retention.config';
import { DeviceTotalsRepository } from '../../devices/device-totals.repository';
import { MessageRemovalRepository, type RemovedMessage } from '../../messages/message-removal.repository';
import { MESSAGE_REMOVAL } from '../../messages/message.schema';
import { type RemovalTally, tallyRemoval } from './removal-tally';
import { DAY_MS } from '../../common/durations';

/** How long a message stays that is old when it comes to its end, such as one that was scheduled long before. */
const GRACE_MS = DAY_MS;

/**
 * Removes old messages, and the batches that are empty then. What they count for (a device's totals, the progress of a
 * batch that is still shown, the plan's month and days) is kept in stored bases.
 */
@Injectable()
export class RetentionService implements RemovalWork {
  readonly kind = MESSAGE_REMOVAL;

  constructor(
    private readonly config: RetentionConfig,
    private readonly accounts: AccountsRepository,
    private readonly devices: DeviceTotalsRepository,
    private readonly usages: UsageRecountRepository,
    private readonly messages: MessageRemovalRepository,
    private readonly clock: Clock,
  ) {}

  get days(): number {
    return this.config.messagesDays;
  }

  listAccounts(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    return this.accounts.listIdsAfter(after, limit);
  }

  listOld(user: Types.ObjectId, createdBefore: Date, from: Date, limit: number) {
    const now = this.clock.now().getTime();
    const age = {
      createdBefore,
      settledBefore: new Date(now - GRACE_MS),
      offeredUntil: new Date(now),
    };
    return this.messages.listRemovable(accountScope(user), age, from, limit);
  }

  async tally(removal: Removal) {
    const marked = await this.messages.mark(accountScope(removal.user), removal.ids, removal.chunk);
    return { ids: marked.map(({ _id }) => _id), tally: await this.tallyOf(removal, marked) };
  }

  async apply({ user, ids, chunk, tally }: Removal): Promise<void> {
    const { devices, batches, endedBatches, usage } = tally as RemovalTally;
    const account = accountScope(user);
    for (const { id, before, removed } of devices) {
      await this.devices.setRemoved(account, id, before, removed);
    }
    if (usage) await this.usages.setRemoved(account, usage.before, usage.removed, usage.days);
    await this.messages.setProgress(account, batches);
    // Before its messages: a batch that is shown has some.
    await this.messages.removeBatches(account, endedBatches);
    await this.messages.remove(account, ids, chunk);
  }

  private async tallyOf({ user, chunk }: Removal, marked: readonly RemovedMessage[]): Promise<RemovalTally> {
    const account = accountScope(user);
    const batchIds = distinct(marked.flatMap(({ smsBatch }) => smsBatch ?? []));
    const [devices, batches, messagesByBatch, usage] = await Promise.all([
      this.devices.findMany(account, distinct(marked.map(({ device }) => device))),
      this.messages.findBatches(account, batchIds),
      this.messages.countOfBatches(account, batchIds),
      this.usages.find(account),
    ]);
    return tallyRemoval(marked, {
      chunk,
      user,
      devices,
      batches,
      messagesByBatch,
      usage,
      now: periodOf(this.clock.now()),
    });
  }
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}
