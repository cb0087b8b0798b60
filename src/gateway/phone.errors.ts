import { AppError } from '../common/errors';

export class NotAStreamDevice extends AppError {
  readonly kind = 'invalid';
  readonly code = 'NOT_A_STREAM_DEVICE';

  constructor() {
    super('The device is pushed to over FCM; register it with pushTransport "stream" to open a stream');
  }
}

/** A phone that is told later than this may have given up waiting. */
const MAX_RETRY_AFTER_S = 3_600;

/** As many messages of the phone are stored as may be in 24 hours. Phones keep what is refused, and repeat it. */
export class ReceptionLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'RECEPTION_LIMITED';

  constructor(
    max: number,
    private readonly msLeft: number,
  ) {
    super(
      `${max} received messages of this phone were stored within 24 hours (MAX_RECEIVED_MESSAGES_PER_PHONE_DAY); ` +
        'keep the message and upload it again later',
    );
  }

  override headers(): Record<string, string> {
    const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(this.msLeft / 1_000)));
    return { 'Retry-After': String(seconds) };
  }
}
