import { appError } from '../../common/errors';

export class SendAbandoned extends appError(
  'unavailable',
  'SEND_ABANDONED',
  'The send was not accepted in time and nothing was sent; repeat the request',
) {}

export class IdempotencyKeyReused extends appError(
  'invalid',
  'IDEMPOTENCY_KEY_REUSED',
  'This Idempotency-Key was already used for a different request; use a new key for each send',
) {}

export class NoEnabledSim extends appError(
  'invalid',
  'NO_ENABLED_SIM',
  'The pool has no enabled SIM in an enabled phone; add one or enable one',
) {}
