import { Injectable } from '@nestjs/common';
import { AuthService } from '../../auth/authentication/auth.service';
import { Coalescer } from '../../common/coalescer';
import { capabilitiesOf } from '../../devices/store/phone-capabilities';
import { DevicesRepository } from '../../devices/store/devices.repository';
import type { DeviceStream } from '../../push/stream/device-stream';
import type { StreamState } from '../../push/stream/stream-hub';

/**
 * Decides whether a stream may get commands. Checked against the database right before commands are sent:
 * the key or session that opened it must still be valid (`AuthService.findRevoked`), its device must be enabled, and the phone
 * must not have opened another one, at whichever process.
 */
@Injectable()
export class StreamAccessService {
  private readonly states = new Coalescer((streams: readonly DeviceStream[]) => this.loadStates(streams));

  constructor(
    private readonly auth: AuthService,
    private readonly devices: DevicesRepository,
  ) {}

  /**
   * `paused` while its device is disabled: the stream stays open, so that the phone is reachable once it is enabled.
   */
  stateOf(stream: DeviceStream): Promise<StreamState> {
    return this.states.submit(stream);
  }

  /** Those of some streams that must be closed. Does not delay `stateOf`. */
  async listEnded(streams: readonly DeviceStream[]): Promise<DeviceStream[]> {
    const states = await this.loadStates(streams);
    return streams.filter((_, index) => states[index] === 'ended');
  }

  private async loadStates(streams: readonly DeviceStream[]): Promise<StreamState[]> {
    const [revoked, devices] = await Promise.all([
      this.auth.findRevoked(streams.map(({ account }) => account)),
      this.devices.findStates(streams.map(({ deviceId }) => deviceId)),
    ]);
    return streams.map(({ account, deviceId, recordId }) => {
      const device = devices.get(deviceId.toHexString());
      if (revoked.has(account) || !device || device.deletedAt || !capabilitiesOf(device).holdsStream)
        return 'ended';
      if (!device.stream?.id.equals(recordId)) return 'ended';
      return device.enabled ? 'open' : 'paused';
    });
  }
}
