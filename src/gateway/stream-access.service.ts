import { Injectable } from '@nestjs/common';
import { AuthService } from '../auth/auth.service';
import { Gathering } from '../common/gathering';
import { DevicesRepository } from '../devices/devices.repository';
import type { DeviceStream } from '../push/stream/device-stream';
import type { StreamGate } from '../push/stream/stream-hub';

/**
 * Whether a stream may be fed; the one place that decides it. Asked of the database right before anything is handed over:
 * what opened the stream must still open its account (`AuthService.findForfeited`), and its device must be enabled.
 */
@Injectable()
export class StreamAccess {
  private readonly asked = new Gathering((streams: readonly DeviceStream[]) => this.check(streams));

  constructor(
    private readonly auth: AuthService,
    private readonly devices: DevicesRepository,
  ) {}

  /**
   * `open`: it may be fed. `paused`: its device is disabled; the stream stays, so that the phone is there when it is
   * enabled again. `ended`: it is to be closed.
   */
  of(stream: DeviceStream): Promise<StreamGate> {
    return this.asked.ask(stream);
  }

  private async check(streams: readonly DeviceStream[]): Promise<StreamGate[]> {
    const [forfeited, devices] = await Promise.all([
      this.auth.findForfeited(streams.map(({ account }) => account)),
      this.devices.findStates(streams.map(({ deviceId }) => deviceId)),
    ]);
    return streams.map(({ account, deviceId }) => {
      const device = devices.get(deviceId.toHexString());
      if (forfeited.has(account) || !device || device.deletedAt || device.pushTransport !== 'stream')
        return 'ended';
      return device.enabled ? 'open' : 'paused';
    });
  }
}
