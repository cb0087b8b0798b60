import { AppError, appError } from '../../common/errors';

export class MessageUnsettled extends AppError {
  readonly kind = 'invalid';
  readonly code = 'MESSAGE_UNSETTLED';

  constructor(status = 'pending') {
    super(`The message is ${status}: cancel it, or wait until the phone has reported on it, then delete it`);
  }
}

export class DeviceHasUnsettledMessages extends appError(
  'invalid',
  'DEVICE_HAS_UNSETTLED_MESSAGES',
  'The device has messages that are pending or dispatched: cancel them, wait until the phone has reported on them, or delete the device without deleteMessages',
) {}
