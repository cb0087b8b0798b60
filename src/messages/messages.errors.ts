import { AppError } from '../common/errors';

export class MessageNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'MESSAGE_NOT_FOUND';

  constructor() {
    super('There is no message with this id on the device');
  }
}

export class BatchNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'BATCH_NOT_FOUND';

  constructor() {
    super('There is no batch with this id on the device');
  }
}
