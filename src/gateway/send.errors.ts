import { AppError } from '../common/errors';

export class SendAbandoned extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'SEND_ABANDONED';

  constructor() {
    super('The server was too slow to accept the send; nothing was sent, send it again');
  }
}

export class IdempotencyKeyReused extends AppError {
  readonly kind = 'invalid';
  readonly code = 'IDEMPOTENCY_KEY_REUSED';

  constructor() {
    super('This Idempotency-Key was used for another request; take a new key for each new send');
  }
}
