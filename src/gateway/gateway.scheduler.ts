import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../common/durations';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { SimHealthService } from '../devices/sims/sim-health.service';
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

  @Sweep<GatewayScheduler>(2 * SECOND_MS, ({ expiry }, time) => expiry.isDueBefore(time))
  expireMessages(): Promise<void> {
    return this.expiry.expireDue();
  }

  @Sweep<GatewayScheduler>(5 * SECOND_MS, ({ waiting }, time) => waiting.isDueBefore(time))
  async reviewWaiting(): Promise<void> {
    await this.waiting.reviewUsages();
    await this.waiting.reviewChanged();
  }

  /** Counts deliveries and canaries that have timed out. */
  @Sweep(10 * SECOND_MS)
  expireHealth(): Promise<void> {
    return this.health.expireDue(MAX_SIMS);
  }
}
