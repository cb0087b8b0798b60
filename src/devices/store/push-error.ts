import type { Device } from './device.schema';
import { capabilitiesOf } from './phone-capabilities';
import { DeviceNotPushable, FirebaseNotConfigured, PushTokenHeld } from './devices.errors';

export type DevicePushError = DeviceNotPushable | FirebaseNotConfigured | PushTokenHeld;

/**
 * The reason why a device cannot receive pushes, returned as its `pushError` and as the error of a send from it.
 * @returns undefined if it can receive pushes.
 */
export function pushErrorOf(
  {
    pushTransport,
    fcmToken,
    pushTokenHeldAt,
  }: Pick<Device, 'pushTransport' | 'fcmToken' | 'pushTokenHeldAt'>,
  isFcmConfigured: boolean,
): DevicePushError | undefined {
  if (!capabilitiesOf({ pushTransport }).needsPushToken) return undefined;
  if (!isFcmConfigured) return new FirebaseNotConfigured();
  if (fcmToken) return undefined;
  return pushTokenHeldAt ? new PushTokenHeld() : new DeviceNotPushable();
}
