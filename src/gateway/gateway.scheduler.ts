import { Injectable } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../common/durations';
import { NonOverlappingInterval } from '../common/non-overlapping-job';
import { SimHealthService } from '../devices/sims/health/sim-health.service';
import { ExpiryService } from './cancellation/expiry.service';
import { ConnectionCheckService } from './connections/connection-check.service';
import { HeartbeatCheckService } from './heartbeats/heartbeat-check.service';
import { UnconfirmedMessagesService } from './unconfirmed/unconfirmed-messages.service';
import { WaitingReview } from './waiting/waiting-review.service';

/** At most this many in one run. */
const MAX_DEVICES = 5_000;
const MAX_SIMS = 500;

/** Jobs about deadlines, silent phones, and messages that wait or are unconfirmed. Safe to run in several processes. */
@Injectable()
export class GatewayScheduler {
  constructor(
    private readonly connections: ConnectionCheckService,
    private readonly expiry: ExpiryService,
    private readonly heartbeats: HeartbeatCheckService,
    private readonly health: SimHealthService,
    private readonly unconfirmed: UnconfirmedMessagesService,
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

  @NonOverlappingInterval(5 * SECOND_MS)
  async markUnconfirmed(): Promise<void> {
    await this.unconfirmed.markUnconfirmed();
    await this.unconfirmed.markUnconfirmedOfDeletedDevices();
  }

  /** Counts deliveries and canaries that have timed out. */
  @NonOverlappingInterval(10 * SECOND_MS)
  expireHealth(): Promise<void> {
    return this.health.expireDue(MAX_SIMS);
  }

  @NonOverlappingInterval(15 * SECOND_MS)
  checkConnections(): Promise<void> {
    return this.connections.checkDue(MAX_DEVICES);
  }

  @NonOverlappingInterval(MINUTE_MS)
  checkHeartbeats(): Promise<void> {
    return this.heartbeats.checkDue(MAX_DEVICES);
  }
}
