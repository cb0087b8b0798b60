import { AppError } from '../common/errors';

export class RegistrationClosed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'REGISTRATION_CLOSED';

  constructor() {
    super('Registration is closed; ask the operator for an account');
  }
}

export class EmailTaken extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('An account with this e-mail address already exists; log in, or reset the password');
  }
}

export class EmailAlreadyVerified extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_ALREADY_VERIFIED';

  constructor() {
    super('The e-mail address is already verified');
  }
}

export class EmailNotVerified extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_NOT_VERIFIED';

  constructor() {
    super('The e-mail address of the account is not verified; verify it, then try again');
  }
}

/** Does not tell whether the code is wrong, expired, used or tried too often, or whether the account exists. */
export class CodeInvalid extends AppError {
  readonly kind = 'invalid';
  readonly code = 'CODE_INVALID';

  constructor() {
    super('The code is wrong, used or expired; request a new one');
  }
}

export class WrongPassword extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WRONG_PASSWORD';

  /** @param field the request field that holds the password. */
  constructor(field = 'oldPassword') {
    super(
      `${field} is not the password of the account; if it has none yet, request a password reset or use a sign-in link`,
    );
  }
}

export class TooManyAttempts extends AppError {
  readonly kind = 'limited';
  readonly code = 'TOO_MANY_ATTEMPTS';

  constructor(private readonly retryAfterSeconds: number) {
    super(`Too many attempts; try again in ${retryAfterSeconds} seconds`);
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': String(this.retryAfterSeconds) };
  }
}

export class ApiKeyNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'API_KEY_NOT_FOUND';

  constructor() {
    super('The account has no API key with this id');
  }
}

export class ApiKeyActive extends AppError {
  readonly kind = 'invalid';
  readonly code = 'API_KEY_ACTIVE';

  constructor() {
    super('The API key is active; revoke it before you delete it');
  }
}

export class TooManyApiKeys extends AppError {
  readonly kind = 'invalid';
  readonly code = 'TOO_MANY_API_KEYS';

  constructor(max: number) {
    super(`An account can have at most ${max} active API keys; revoke one that is no longer used`);
  }
}

/** One address has too many unauthenticated requests in flight. */
export class TooManyConcurrentRequests extends AppError {
  readonly kind = 'limited';
  readonly code = 'TOO_MANY_CONCURRENT_REQUESTS';

  constructor() {
    super('Too many concurrent requests from this address; wait until the others are answered');
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': '1' };
  }
}

/** More requests than are allowed in a minute. */
export class RateLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'RATE_LIMITED';

  /**
   * @param label which requests are counted, to complete "More than 100 requests a minute".
   * @param resetAt when the next window begins, by `performance.now()`.
   */
  constructor(
    label: string,
    private readonly max: number,
    private readonly resetAt: number,
  ) {
    super(`More than ${max} requests a minute ${label}; retry after the seconds in Retry-After`);
  }

  override headers(): Record<string, string> {
    const seconds = String(Math.max(1, Math.ceil((this.resetAt - performance.now()) / 1_000)));
    return {
      'Retry-After': seconds,
      'RateLimit-Limit': String(this.max),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': seconds,
    };
  }
}
