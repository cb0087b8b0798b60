import { AppError } from '../common/errors';

export class RegistrationClosed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'REGISTRATION_CLOSED';

  constructor() {
    super('Sign-up is closed here; ask the operator for an account');
  }
}

export class EmailTaken extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_TAKEN';

  constructor() {
    super('There is an account with this e-mail address already; log in, or reset its password');
  }
}

export class EmailAlreadyVerified extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_ALREADY_VERIFIED';

  constructor() {
    super('The e-mail address is verified already');
  }
}

export class EmailNotVerified extends AppError {
  readonly kind = 'invalid';
  readonly code = 'EMAIL_NOT_VERIFIED';

  constructor() {
    super('The e-mail address of the account is not verified; verify it, then try again');
  }
}

/** The same whether the code is wrong, old, used, tried too often, or there is no such account. */
export class CodeInvalid extends AppError {
  readonly kind = 'invalid';
  readonly code = 'CODE_INVALID';

  constructor() {
    super('The code is wrong, used or expired; ask for a new one');
  }
}

export class WrongPassword extends AppError {
  readonly kind = 'invalid';
  readonly code = 'WRONG_PASSWORD';

  /** @param field where it was given. */
  constructor(field = 'oldPassword') {
    super(
      `${field} is not the password of the account; if it has none yet, request a password reset or use a sign-in link`,
    );
  }
}

/** Guessing is slowed; says when to come back. */
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
    super('There is no API key with this id on the account');
  }
}

export class ApiKeyActive extends AppError {
  readonly kind = 'invalid';
  readonly code = 'API_KEY_ACTIVE';

  constructor() {
    super('The API key is in use; revoke it before deleting it');
  }
}

export class TooManyApiKeys extends AppError {
  readonly kind = 'invalid';
  readonly code = 'TOO_MANY_API_KEYS';

  constructor(most: number) {
    super(`An account can have ${most} active API keys; revoke one that is no longer used`);
  }
}

/** More requests without an account at the same time than one address may have. */
export class TooManyConcurrentRequests extends AppError {
  readonly kind = 'limited';
  readonly code = 'TOO_MANY_CONCURRENT_REQUESTS';

  constructor() {
    super('Too many requests at the same time from this address; wait for the answers to the others');
  }

  override headers(): Record<string, string> {
    return { 'Retry-After': '1' };
  }
}

/** More requests than are allowed in a minute; says when to come back. */
export class RateLimited extends AppError {
  readonly kind = 'limited';
  readonly code = 'RATE_LIMITED';

  /**
   * @param kind which requests are too many.
   * @param until when the next minute begins, by `performance.now()`.
   */
  constructor(
    kind: string,
    private readonly most: number,
    private readonly until: number,
  ) {
    super(`More than ${most} requests a minute ${kind}; Retry-After says when to come back`);
  }

  override headers(): Record<string, string> {
    const seconds = String(Math.max(1, Math.ceil((this.until - performance.now()) / 1_000)));
    return {
      'Retry-After': seconds,
      'RateLimit-Limit': String(this.most),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': seconds,
    };
  }
}
