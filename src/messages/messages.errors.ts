import { appError } from '../common/errors';

export class MessageNotFound extends appError(
  'not_found',
  'MESSAGE_NOT_FOUND',
  'There is no message with this id on the device',
) {}

export class BatchNotFound extends appError(
  'not_found',
  'BATCH_NOT_FOUND',
  'There is no batch with this id on the device',
) {}
