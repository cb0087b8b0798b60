import { Injectable } from '@nestjs/common';
import { AuthService } from '../../auth/auth.service';
import { Batcher } from '../../common/batcher';
import { DevicesRepository } from '../../devices/devices.repository';
import type { DeviceStream } from '../../push/stream/device-stream';
import type { StreamState } from '../../push/stream/stream-hub';

/**
 * Decides whether a stream may get commands. Checked against the database right before commands are sent:
 * the key or session that opened it must still be valid (`AuthService.findRevoked`), and its device must be enabled.
 */
@Injectable()
export class StreamAccessService {
  private readonly states = new Batcher((streams: readonly DeviceStream[]) => this.loadStates(streams));

  constructor(
    private readonly auth: AuthService,
    private readonly devices: DevicesRepository,
  ) {}

  /** `paused` while its device is disabled: the stream stays open, so that the phone is reachable once it is enabled. */
  stateOf(stream: DeviceStream): Promise<StreamState> {
    return this.states.submit(stream);
  }

  private async loadStates(streams: readonly DeviceStream[]): Promise<StreamState[]> {
    const [revoked, devices] = await Promise.all([
      this.auth.findRevoked(streams.map(({ account }) => account)),
      this.devices.findStates(streams.map(({ deviceId }) => deviceId)),
    ]);
    return streams.map(({ account, deviceId }) => {
      const device = devices.get(deviceId.toHexString());
      if (revoked.has(account) || !device || device.deletedAt || device.pushTransport !== 'stream')
        return 'ended';
      return device.enabled ? 'open' : 'paused';
    });
  }
}
