import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { Device } from '../../devices/store/device.schema';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { PushClient } from '../../push/push-client.service';
import { planHeartbeatCheck } from './heartbeat-check-schedule';
import { pushTargetOf } from '../../gateway/push-commands/push-target';

const CONCURRENCY = 50;

@Injectable()
export class HeartbeatCheckService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly pushClient: PushClient,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks the devices that are due. A device is rescheduled before its check is pushed, so that only one process pushes
   * it; a lost check is repeated after an hour.
   * @param limit maximum number of devices.
   */
  async checkDue(limit: number): Promise<void> {
    const now = this.clock.now();
    for (let checked = 0; checked < limit; checked += CONCURRENCY) {
      const due = await this.devices.listHeartbeatCheckDue(now, CONCURRENCY);
      await Promise.all(due.map((device) => this.check(device, now)));
      if (due.length < CONCURRENCY) return;
    }
  }

  private async check(device: Device, now: Date): Promise<void> {
    const { hasMissedHeartbeats, nextCheckAt } = planHeartbeatCheck(device, now);
    const isClaimed = await this.devices.rescheduleHeartbeatCheck(device, nextCheckAt);
    if (!hasMissedHeartbeats || !isClaimed) return;
    const [result] = await this.pushClient.push(pushTargetOf(device), [{ kind: 'heartbeat_check' }]);
    if (result?.outcome === 'refused' && result.isTokenInvalid && device.fcmToken)
      await this.devices.removeRejectedToken(accountScope(device.user), device._id, device.fcmToken, now);
  }
}
