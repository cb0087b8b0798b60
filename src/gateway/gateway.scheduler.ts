import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../common/durations';
import { NonOverlappingInterval } from '../common/non-overlapping-job';
import { SimHealthService } from '../devices/sims/health/sim-health.service';
import { ExpiryService } from './cancellation/expiry.service';
import { WaitingReview } from './routing/waiting-review.service';

/** At most this many in one run. */
const MAX_SIMS = 500;

/** Jobs about deadlines and messages that wait. Safe to run in several processes. */
@Injectable()
export class GatewayScheduler {
  constructor(
    private readonly expiry: ExpiryService,
    private readonly health: SimHealthService,
    private readonly waiting: WaitingReview,
  ) {}

  @NonOverlappingInterval(2 * SECOND_MS)
  expireMessages(): Promise<void> {
    return this.expiry.expireDue();
  }

  @NonOverlappingInterval(5 * SECOND_MS)
  async reviewWaiting(): Promise<void> {
    await this.waiting.reviewUsages();
    await this.waiting.reviewChanged();
  }

  /** Counts deliveries and canaries that have timed out. */
  @NonOverlappingInterval(10 * SECOND_MS)
  expireHealth(): Promise<void> {
    return this.health.expireDue(MAX_SIMS);
  }
}
