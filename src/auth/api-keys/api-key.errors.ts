import { AppError, appError } from '../../common/errors';

export class ApiKeyNotFound extends appError(
  'not_found',
  'API_KEY_NOT_FOUND',
  'The account has no API key with this id',
) {}

export class ApiKeyActive extends appError(
  'invalid',
  'API_KEY_ACTIVE',
  'The API key is active; revoke it before you delete it',
) {}

export class TooManyApiKeys extends AppError {
  readonly kind = 'invalid';
  readonly code = 'TOO_MANY_API_KEYS';

  constructor(max: number) {
    super(`An account can have at most ${max} active API keys; revoke one that is no longer used`);
  }
}

/** A phone key was used for another device, or for a device that is paired with another key. */
export class KeyBound extends appError(
  'invalid',
  'KEY_BOUND',
  'This phone key belongs to another phone. Each phone needs its own key; to pair a phone again, revoke its old key ' +
    'or create a key for its device',
) {}
