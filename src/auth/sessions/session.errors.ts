import { AppError } from '../../common/errors';

export class SessionNotFound extends AppError {
  readonly kind = 'not_found';
  readonly code = 'SESSION_NOT_FOUND';

  constructor() {
    super('There is no session with this id on the account');
  }
}

/** The caller has an API key, and the call is for a person. */
export class SessionRequiredError extends AppError {
  readonly kind = 'invalid';
  readonly code = 'SESSION_REQUIRED';

  constructor() {
    super(
      'This call needs a signed-in person, not an API key: sign in with POST /api/v1/auth/session and repeat it ' +
        'with the session',
    );
  }
}
