import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import type { RemovalWork } from '../../common/upkeep/removal-work';
import type { Removal } from '../../common/upkeep/removal.schema';
import { RetentionConfig } from '../../config/sections/retention.config';
import type { RemovedDeliveries } from '../subscriptions/webhook-subscription.schema';
import { DeliveryRemovalRepository, type RemovedDelivery } from './delivery-removal.repository';
import { type StoredCounts, SubscriptionTotalsRepository } from './subscription-totals.repository';

export const DELIVERY_REMOVAL = 'deliveries';

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
  ) {}

  get days(): number {
    return this.config.deliveriesDays;
  }

  listAccounts(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    return this.accounts.listIdsAfter(after, limit);
  }

  listOld(user: Types.ObjectId, before: Date, from: Date, limit: number) {
    return this.deliveries.listRemovable(accountScope(user), before, from, limit);
  }

  async tally(removal: Removal) {
    const marked = await this.deliveries.mark(accountScope(removal.user), removal.ids, removal.chunk);
    const ids = new Map(marked.map(({ webhookSubscription: id }) => [id.toHexString(), id]));
    const stored = await this.totals.findMany(accountScope(removal.user), [...ids.values()]);
    return {
      ids: marked.map(({ _id }) => _id),
      tally: stored.map((counts) => baseChange(counts, marked, removal.chunk)),
    };
  }

  async apply({ user, ids, chunk, tally }: Removal): Promise<void> {
    for (const { id, before, removed } of tally as BaseChange[]) {
      await this.totals.setRemoved(accountScope(user), id, before, removed);
    }
    await this.deliveries.remove(accountScope(user), ids, chunk);
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
