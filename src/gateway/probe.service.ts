import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Device } from '../devices/device.schema';
import { DevicesRepository } from '../devices/devices.repository';
import { PushService } from '../push/push.service';
import { probeSchedule } from './probe-schedule';
import { pushTargetOf } from './sending-device.service';

/** Devices looked at together; each may cost a push. */
const AT_ONCE = 50;

/** Asks phones that have fallen silent for a heartbeat. */
@Injectable()
export class ProbeService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly push: PushService,
    private readonly clock: Clock,
  ) {}

  /**
   * Probes what is due. Each device is moved on before it is probed, by one process only: a probe that gets lost is
   * followed by the next one in an hour.
   * @param limit how many devices are looked at.
   */
  async probeSilent(limit: number): Promise<void> {
    const now = this.clock.now();
    for (let looked = 0; looked < limit; looked += AT_ONCE) {
      const due = await this.devices.listProbeDue(now, AT_ONCE);
      await Promise.all(due.map((device) => this.look(device, now)));
      if (due.length < AT_ONCE) return;
    }
  }

  private async look(device: Device, now: Date): Promise<void> {
    const { probe, nextLookAt } = probeSchedule(device, now);
    const isOurs = await this.devices.moveProbe(device, nextLookAt);
    if (!probe || !isOurs) return;
    const [result] = await this.push.push(pushTargetOf(device), [{ kind: 'heartbeat_check' }]);
    if (result?.outcome === 'refused' && result.tokenIsDead && device.fcmToken)
      await this.devices.dropToken(device, device._id, device.fcmToken, now);
  }
}
