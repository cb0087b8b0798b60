import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { AccountsRepository } from '../../auth/accounts.repository';
import { Clock } from '../../common/clock';
import type { RemovalWork } from '../../common/upkeep/removal-work';
import type { Removal } from '../../common/upkeep/removal.schema';
import { Removals } from '../../common/upkeep/removals.service';
import { RetentionConfig } from '../../config/retention.config';
import type { RemovedDeliveries } from '../subscription.schema';
import { DeliveryRemovalRepository, type RemovedDelivery } from './delivery-removal.repository';
import { type StoredCounts, SubscriptionTotalsRepository } from './subscription-totals.repository';

export const DELIVERY_REMOVAL = 'deliveries';

const MS_A_DAY = 86_400_000;
const ACCOUNTS_A_STEP = 20;

/** What a chunk of deliveries adds to the base of one subscription, and the chunk that base holds until then. */
interface BaseChange {
  readonly id: Types.ObjectId;
  readonly before?: Types.ObjectId;
  readonly removed: RemovedDeliveries;
}

/** Removes old deliveries from the history. What they count for is kept with their subscriptions. */
@Injectable()
export class DeliveryRetentionService implements RemovalWork {
  readonly kind = DELIVERY_REMOVAL;

  constructor(
    private readonly config: RetentionConfig,
    private readonly accounts: AccountsRepository,
    private readonly totals: SubscriptionTotalsRepository,
    private readonly deliveries: DeliveryRemovalRepository,
    private readonly removals: Removals,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes old deliveries of the next accounts.
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
    const createdBefore = new Date(this.clock.now().getTime() - this.config.deliveriesDays * MS_A_DAY);
    return this.deliveries.listRemovable({ user }, createdBefore, from, limit);
  }

  async tally(removal: Removal) {
    const marked = await this.deliveries.mark(removal, removal.ids, removal.chunk);
    const ids = new Map(marked.map(({ webhookSubscription: id }) => [id.toHexString(), id]));
    const stored = await this.totals.findMany(removal, [...ids.values()]);
    return {
      ids: marked.map(({ _id }) => _id),
      tally: stored.map((counts) => baseChange(counts, marked, removal.chunk)),
    };
  }

  async apply({ user, ids, chunk, tally }: Removal): Promise<void> {
    for (const { id, before, removed } of tally as BaseChange[]) {
      await this.totals.setRemoved({ user }, id, before, removed);
    }
    await this.deliveries.remove({ user }, ids, chunk);
  }
}

function baseChange(
  { _id, removed }: StoredCounts,
  marked: readonly RemovedDelivery[],
  chunk: Types.ObjectId,
): BaseChange {
  const own = marked.filter(({ webhookSubscription }) => webhookSubscription.equals(_id));
  const ended = (status: RemovedDelivery['computedStatus']) =>
    own.filter(({ computedStatus }) => computedStatus === status).length;
  return {
    id: _id,
    ...(removed && { before: removed.chunk }),
    removed: {
      attempts: own.reduce(
        (sum, { deliveryAttemptCount }) => sum + deliveryAttemptCount,
        removed?.attempts ?? 0,
      ),
      delivered: ended('delivered') + (removed?.delivered ?? 0),
      failed: ended('failed') + (removed?.failed ?? 0),
      chunk,
    },
  };
}
