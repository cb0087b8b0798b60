import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccountsRepository } from '../../auth/accounts.repository';
import { periodOf } from '../../billing/usage-period';
import { UsageRecountRepository } from '../../billing/usage-recount.repository';
import { Clock } from '../../common/clock';
import type { RemovalWork } from '../../common/upkeep/removal-work';
import type { Removal } from '../../common/upkeep/removal.schema';
import { Removals } from '../../common/upkeep/removals.service';
import { RetentionConfig } from '../../config/retention.config';
import { DeviceTotalsRepository } from '../../devices/device-totals.repository';
import { MessageRemovalRepository, type RemovedMessage } from '../../messages/message-removal.repository';
import { MESSAGE_REMOVAL } from '../../messages/message.schema';
import { type RemovalTally, tallyRemoval } from './removal-tally';

const MS_A_DAY = 86_400_000;
const ACCOUNTS_A_STEP = 20;

/** How long a message stays that is old when it comes to its end, such as one that was scheduled long before. */
const GRACE_MS = MS_A_DAY;

/**
 * Removes old messages, and the batches that are empty then. What they count for (a device's totals, the progress of a
 * batch that is still shown, the plan's month) is kept in stored bases.
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
    private readonly removals: Removals,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes old messages of the next accounts.
   * @returns the last of these accounts; undefined when they were the last of all.
   */
  async removeOldAfter(after: Types.ObjectId | undefined): Promise<Types.ObjectId | undefined> {
    const users = await this.accounts.listIdsAfter(after, ACCOUNTS_A_STEP);
    await this.removals.removeOld(this, users);
    return users.length === ACCOUNTS_A_STEP ? users.at(-1) : undefined;
  }

  /** Finishes what dead processes have begun. */
  finishDead(): Promise<void> {
    return this.removals.finishDead(this);
  }

  listOld(user: Types.ObjectId, from: Date, limit: number) {
    const now = this.clock.now().getTime();
    const age = {
      createdBefore: new Date(now - this.config.messagesDays * MS_A_DAY),
      settledBefore: new Date(now - GRACE_MS),
      offeredUntil: new Date(now),
    };
    return this.messages.listRemovable({ user }, age, from, limit);
  }

  async tally(removal: Removal) {
    const marked = await this.messages.mark(removal, removal.ids, removal.chunk);
    return { ids: marked.map(({ _id }) => _id), tally: await this.tallyOf(removal, marked) };
  }

  async apply({ user, ids, chunk, tally }: Removal): Promise<void> {
    const { devices, batches, endedBatches, usage } = tally as RemovalTally;
    const account = { user };
    for (const { id, before, removed } of devices) {
      await this.devices.setRemoved(account, id, before, removed);
    }
    if (usage) await this.usages.setRemoved(account, usage.before, usage.removed);
    await this.messages.setProgress(account, batches);
    // Before its messages: a batch that is shown has some.
    await this.messages.removeBatches(account, endedBatches);
    await this.messages.remove(account, ids, chunk);
  }

  private async tallyOf({ user, chunk }: Removal, marked: readonly RemovedMessage[]): Promise<RemovalTally> {
    const account = { user };
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
      usageBefore: usage?.removed,
      month: periodOf(this.clock.now()).month,
    });
  }
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}
