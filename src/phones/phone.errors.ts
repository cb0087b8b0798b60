import { AppError, appError } from '../common/errors';

export class NotAStreamDevice extends appError(
  'invalid',
  'NOT_A_STREAM_DEVICE',
  'The device has registered with another pushTransport; register it with pushTransport "stream" to open a stream',
) {}

/** Phones may stop retrying if Retry-After is longer. */
const MAX_RETRY_AFTER_S = 3_600;

/** Phones keep a refused message and upload it again. */
export class ReceiveLimitReached extends AppError {
  readonly kind = 'limited';
  readonly code = 'RECEPTION_LIMITED';

  constructor(
    max: number,
    private readonly msLeft: number,
  ) {
    super(
      `The limit of ${max} received messages per phone in 24 hours is reached (MAX_RECEIVED_MESSAGES_PER_PHONE_DAY); ` +
        'keep the message and upload it again later',
    );
  }

  override headers(): Record<string, string> {
    const seconds = Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil(this.msLeft / 1_000)));
    return { 'Retry-After': String(seconds) };
  }
}
