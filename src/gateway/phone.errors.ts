import { AppError } from '../common/errors';

export class NotAStreamDevice extends AppError {
  readonly kind = 'invalid';
  readonly code = 'NOT_A_STREAM_DEVICE';

  constructor() {
    super('The device is pushed to over FCM; register it with pushTransport "stream" to open a stream');
  }
}
