import { AppError } from '../common/errors';
import { FIREBASE_SETTINGS } from '../config/sections/push.config';

export class DeviceNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'DEVICE_NOT_FOUND';

  constructor() {
    super('The account has no device with this id');
  }
}

export class DeviceDisabled extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DEVICE_DISABLED';

  constructor() {
    super('The device is disabled; enable it in the app or send from another device');
  }
}

export class DeviceNotPushable extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DEVICE_NOT_PUSHABLE';

  constructor(
    message = 'The device cannot be reached by push; open the app on the phone so that it registers again',
  ) {
    super(message);
  }
}

export class FirebaseNotConfigured extends DeviceNotPushable {
  constructor() {
    super(
      `The server cannot push to the device: ${FIREBASE_SETTINGS} are not set on the server. Set them and restart it, or ` +
        'register the phone with pushTransport "stream"',
    );
  }
}

export class PushTokenHeld extends AppError {
  readonly kind = 'invalid';
  readonly code = 'PUSH_TOKEN_HELD';

  constructor() {
    super(
      'The device cannot be reached by push: its push token still belongs to a device of another account. It moves when ' +
        'that device is deleted, reports another token or sends no heartbeat for two intervals, and immediately when ' +
        'this phone registers with its serial',
    );
  }
}

export class NoEnabledDevice extends AppError {
  readonly kind = 'invalid';
  readonly code = 'NO_ENABLED_DEVICE';

  constructor() {
    super('No enabled device to send from; pair a phone or enable a device');
  }
}

export class DeviceLimitReached extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DEVICE_LIMIT_REACHED';

  constructor(limit: number) {
    super(
      `The account has reached its limit of ${limit} devices (MAX_DEVICES_PER_ACCOUNT); delete a device first`,
    );
  }
}

export class RegistrationsBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'REGISTRATIONS_BUSY';

  constructor() {
    super('Too many phones are registering on the account; try again shortly');
  }
}

export class SerialTaken extends AppError {
  readonly kind = 'invalid';
  readonly code = 'SERIAL_TAKEN';

  constructor() {
    super('serial is already used by another device of the account; omit it or delete that device');
  }
}
