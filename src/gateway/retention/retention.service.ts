import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts.repository';
import { periodOf } from '../../billing/usage-period';
import { UsageRecountRepository } from '../../billing/usage-recount.repository';
import { Clock } from '../../common/clock';
import type { Removal } from '../../common/upkeep/removal.schema';
import { RemovalsRepository } from '../../common/upkeep/removals.repository';
import { RetentionConfig } from '../../config/retention.config';
import { DeviceTotalsRepository } from '../../devices/device-totals.repository';
import { MessageRemovalRepository, type RemovedMessage } from '../../messages/message-removal.repository';
import { MESSAGE_REMOVAL } from '../../messages/message.schema';
import { type RemovalTally, tallyRemoval } from './removal-tally';
import { failureLine } from '../../common/failure-line';

const MS_A_DAY = 86_400_000;
const ACCOUNTS_A_STEP = 20;
const CHUNK = 1_000;

/** Per account and round: what is left is removed in the next one. */
const MOST_CHUNKS = 100;

/** Between chunks, for the database's other users. */
const PAUSE_MS = 100;

/** How long a message stays that is old when it comes to its end, such as one that was scheduled long before. */
const GRACE_MS = MS_A_DAY;

/** A chunk that takes longer than this has lost its process. */
const CHUNK_LIMIT_MS = 60_000;

/**
 * Removes old messages. Each chunk is written down first, its messages are marked (no report reaches them any more),
 * then it is decided, once, what they add to the stored bases of totals, usage and batches; then that is written, and
 * they go. Every step can be repeated and can come late, so whoever finds a chunk that was left finishes it.
 */
@Injectable()
export class RetentionService {
  private readonly logger = new Logger(RetentionService.name);

  constructor(
    private readonly config: RetentionConfig,
    private readonly accounts: AccountsRepository,
    private readonly devices: DeviceTotalsRepository,
    private readonly usages: UsageRecountRepository,
    private readonly messages: MessageRemovalRepository,
    private readonly removals: RemovalsRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes old messages of the next accounts.
   * @returns the last of these accounts; undefined when they were the last of all.
   */
  async removeOldAfter(after: Types.ObjectId | undefined): Promise<Types.ObjectId | undefined> {
    const users = await this.accounts.listIdsAfter(after, ACCOUNTS_A_STEP);
    for (const user of users) {
      try {
        await this.removeOld({ user });
      } catch (failure) {
        this.logger.error(`Messages of account ${user.toHexString()} wait: ${failureLine(failure)}`);
      }
    }
    return users.length === ACCOUNTS_A_STEP ? users.at(-1) : undefined;
  }

  /** Finishes what dead processes have begun. */
  async finishDead(): Promise<void> {
    for (;;) {
      const dead = await this.removals.takeOverDead(MESSAGE_REMOVAL, this.chunkLimit(), this.clock.now());
      if (!dead) return;
      await this.complete(dead);
    }
  }

  private async removeOld(account: AccountScope): Promise<void> {
    const now = this.clock.now().getTime();
    const age = {
      createdBefore: new Date(now - this.config.messagesDays * MS_A_DAY),
      settledBefore: new Date(now - GRACE_MS),
      offeredUntil: new Date(now),
    };
    let from = new Date(0);
    for (let chunks = 0; chunks < MOST_CHUNKS; chunks++) {
      const old = await this.messages.listRemovable(account, age, from, CHUNK);
      const last = old.at(-1);
      if (!last) return;
      const ids = old.map(({ _id }) => _id);
      const removal = await this.removals.begin(MESSAGE_REMOVAL, account.user, ids, this.chunkLimit());
      if (!removal) return; // another process is at it
      await this.complete(removal);
      if (old.length < CHUNK) return;
      from = last.createdAt;
      await sleep(PAUSE_MS);
    }
  }

  private async complete(removal: Removal): Promise<void> {
    const decided = removal.tally ? removal : await this.decide(removal);
    if (!decided) return; // it was done by another process
    const { user, ids, chunk } = decided;
    const { devices, batches, endedBatches, usage } = decided.tally as RemovalTally;
    const account = { user };
    for (const { id, before, removed } of devices) {
      await this.devices.setRemoved(account, id, before, removed);
    }
    if (usage) await this.usages.setRemoved(account, usage.before, usage.removed);
    await this.messages.setProgress(account, batches);
    // Before its messages: a batch that is shown has some.
    await this.messages.removeBatches(account, endedBatches);
    await this.messages.remove(account, ids, chunk);
    await this.removals.finish(decided);
  }

  private async decide(removal: Removal): Promise<Removal | null> {
    const marked = await this.messages.mark(removal, removal.ids, removal.chunk);
    const tally = await this.tally(removal, marked);
    return this.removals.decide(
      removal,
      marked.map(({ _id }) => _id),
      tally,
    );
  }

  private async tally({ user, chunk }: Removal, marked: readonly RemovedMessage[]): Promise<RemovalTally> {
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

  private chunkLimit(): Date {
    return new Date(this.clock.now().getTime() + CHUNK_LIMIT_MS);
  }
}

function distinct(ids: readonly Types.ObjectId[]): Types.ObjectId[] {
  return [...new Map(ids.map((id) => [id.toHexString(), id])).values()];
}
