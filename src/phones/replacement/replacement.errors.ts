import { appError } from '../../common/errors';

export class DeviceReplaced extends appError(
  'invalid',
  'DEVICE_REPLACED',
  'The device was already replaced by another one',
) {}
