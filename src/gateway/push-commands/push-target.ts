import type { Device } from '../../devices/store/device.schema';
import type { PushTarget } from '../../push/transport/push-transport';

export const pushTargetOf = (device: Device): PushTarget => ({
  deviceId: device._id,
  transport: device.pushTransport,
  fcmToken: device.fcmToken,
});
