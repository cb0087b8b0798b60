import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { type Drift, driftBy, type Recount } from '../../common/upkeep/recount';
import { RemovalsRepository } from '../../common/upkeep/removals.repository';
import { DELIVERY_REMOVAL } from './delivery-retention.service';
import { DeliveryRemovalRepository } from './delivery-removal.repository';
import { SubscriptionTotalsRepository } from './subscription-totals.repository';

/** What each subscription has attempted, delivered and failed to; deleted ones included, whose history stays. */
@Injectable()
export class SubscriptionTotalsRecount implements Recount {
  readonly name = 'webhook-totals';

  constructor(
    private readonly totals: SubscriptionTotalsRepository,
    private readonly deliveries: DeliveryRemovalRepository,
    private readonly removals: RemovalsRepository,
  ) {}

  listAfter(after: Types.ObjectId | undefined, limit: number): Promise<Types.ObjectId[]> {
    return this.totals.listIdsAfter(after, limit);
  }

  async look(id: Types.ObjectId): Promise<'right' | 'unclear' | Drift> {
    const stored = await this.totals.find(id);
    if (!stored) return 'right';
    // A removal that begins after this moves what the counts stand on, and then nothing is mended.
    if (await this.removals.isUnderWay(DELIVERY_REMOVAL, stored.user)) return 'unclear';
    const found = await this.deliveries.countOf(accountScope(stored.user), id);
    const counted = {
      attempts: found.attempts + (stored.removed?.attempts ?? 0),
      delivered: found.delivered + (stored.removed?.delivered ?? 0),
      failed: found.failed + (stored.removed?.failed ?? 0),
    };
    return driftBy(
      {
        attempts: counted.attempts - stored.deliveryAttemptCount,
        delivered: counted.delivered - stored.successfulDeliveryCount,
        failed: counted.failed - stored.deliveryFailureCount,
      },
      () => this.totals.mend(stored, counted),
    );
  }
}
