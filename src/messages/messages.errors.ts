import { appError } from '../common/errors';

export class MessageNotFound extends appError(
  'not_found',
  'MESSAGE_NOT_FOUND',
  'There is no message with this id',
) {}

export class BatchNotFound extends appError(
  'not_found',
  'BATCH_NOT_FOUND',
  'There is no batch with this id',
) {}

/** Another change of the batch takes long, such as one whose process died. */
export class BatchChanging extends appError(
  'unavailable',
  'BATCH_CHANGING',
  'Another change of this batch is in progress; repeat the request in a few seconds',
) {}
