import { Injectable } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../common/durations';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { ConnectionCheckService } from './checks/connection-check.service';
import { HeartbeatCheckService } from './checks/heartbeat-check.service';
import { UnconfirmedMessagesService } from './checks/unconfirmed-messages.service';

/** At most this many in one run. */
const MAX_DEVICES = 5_000;

/** Jobs about silent phones and the messages that they have not confirmed. Safe to run in several processes. */
@Injectable()
export class PhonesScheduler {
  constructor(
    private readonly connections: ConnectionCheckService,
    private readonly heartbeats: HeartbeatCheckService,
    private readonly unconfirmed: UnconfirmedMessagesService,
  ) {}

  @Sweep(5 * SECOND_MS)
  async markUnconfirmed(): Promise<void> {
    await this.unconfirmed.markUnconfirmed();
    await this.unconfirmed.markUnconfirmedOfDeletedDevices();
  }

  @Sweep<PhonesScheduler>(15 * SECOND_MS, ({ connections }, time) => connections.isDueBefore(time))
  checkConnections(): Promise<void> {
    return this.connections.checkDue(MAX_DEVICES);
  }

  @Sweep(MINUTE_MS)
  checkHeartbeats(): Promise<void> {
    return this.heartbeats.checkDue(MAX_DEVICES);
  }
}
