import { appError } from '../../common/errors';

export class TargetDeviceNotFound extends appError(
  'not_found',
  'TARGET_DEVICE_NOT_FOUND',
  'deviceId is not the id of a device of the account',
) {}
