import { AppError } from '../common/errors';
import { FIREBASE_SETTINGS } from '../config/push.config';

export class DeviceNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'DEVICE_NOT_FOUND';

  constructor() {
    super('There is no device with this id on the account');
  }
}

export class DeviceDisabled extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DEVICE_DISABLED';

  constructor() {
    super('The device is disabled; switch it on in the app, or send from another one');
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

/** The fault is the server's, not the phone's. */
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
        'that device is deleted, reports another token or is silent for two heartbeat intervals, and at once when this ' +
        'phone registers with its serial',
    );
  }
}

export class NoDevice extends AppError {
  readonly kind = 'invalid';
  readonly code = 'NO_ENABLED_DEVICE';

  constructor() {
    super('No enabled device to send from; pair a phone, or switch one on');
  }
}

export class DeviceLimitReached extends AppError {
  readonly kind = 'invalid';
  readonly code = 'DEVICE_LIMIT_REACHED';

  constructor(limit: number) {
    super(`The account has ${limit} devices or more, the limit (MAX_DEVICES_PER_ACCOUNT); delete one first`);
  }
}

export class RegistrationsBusy extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'REGISTRATIONS_BUSY';

  constructor() {
    super('Too many phones register on the account at once; try again shortly');
  }
}

export class SerialTaken extends AppError {
  readonly kind = 'invalid';
  readonly code = 'SERIAL_TAKEN';

  constructor() {
    super('serial belongs to another device of the account');
  }
}
