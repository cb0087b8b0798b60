import { AppError } from '../../common/errors';

export class SendAbandoned extends AppError {
  readonly kind = 'unavailable';
  readonly code = 'SEND_ABANDONED';

  constructor() {
    super('The send was not accepted in time and nothing was sent; repeat the request');
  }
}

export class IdempotencyKeyReused extends AppError {
  readonly kind = 'invalid';
  readonly code = 'IDEMPOTENCY_KEY_REUSED';

  constructor() {
    super('This Idempotency-Key was already used for a different request; use a new key for each send');
  }
}
