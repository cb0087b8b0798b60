import { appError } from '../../common/errors';
import { FIREBASE_SETTINGS } from '../../config/sections/push.config';

export class DeviceNotFound extends appError(
  'not_found',
  'DEVICE_NOT_FOUND',
  'The account has no device with this id',
) {}

export class DeviceDisabled extends appError(
  'invalid',
  'DEVICE_DISABLED',
  'The device is disabled; enable it in the app or send from another device',
) {}

export class DeviceDraining extends appError(
  'invalid',
  'DEVICE_DRAINING',
  'The device takes no new messages; end this with DELETE gateway/devices/{id}/drain or send from another device',
) {}

export class DeviceNotPushable extends appError(
  'invalid',
  'DEVICE_NOT_PUSHABLE',
  (text?: string) =>
    text ?? 'The device cannot be reached by push; open the app on the phone so that it registers again',
) {}

export class FirebaseNotConfigured extends DeviceNotPushable {
  constructor() {
    super(
      `The server cannot push to the device: ${FIREBASE_SETTINGS} are not set on the server. Set them and restart it, or ` +
        'register the phone with pushTransport "stream"',
    );
  }
}

export class PushTokenHeld extends appError(
  'invalid',
  'PUSH_TOKEN_HELD',
  'The device cannot be reached by push: its push token still belongs to a device of another account. It moves when ' +
    'that device is deleted, reports another token or sends no heartbeat for two intervals, and immediately when ' +
    'this phone registers with its serial',
) {}

export class NoEnabledDevice extends appError(
  'invalid',
  'NO_ENABLED_DEVICE',
  'No enabled device found to send from; pair a phone or enable a device',
) {}

export class DeviceLimitReached extends appError(
  'invalid',
  'DEVICE_LIMIT_REACHED',
  (limit: number) =>
    `The account has reached its limit of ${limit} devices (MAX_DEVICES_PER_ACCOUNT); delete a device first`,
) {}

export class RegistrationsBusy extends appError(
  'unavailable',
  'REGISTRATIONS_BUSY',
  'Too many phones are registering on the account; try again shortly',
) {}

export class SerialTaken extends appError(
  'invalid',
  'SERIAL_TAKEN',
  'serial is already used by another device of the account; omit it or delete that device',
) {}
