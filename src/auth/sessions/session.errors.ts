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

/** The request carries the session cookie, and a page elsewhere could have made it. */
export class CsrfCheckFailed extends AppError {
  readonly kind = 'invalid';
  readonly code = 'CSRF_CHECK_FAILED';

  constructor() {
    super(
      'With the session cookie a call needs Content-Type: application/json and the Origin of the service itself; ' +
        'behind a proxy, pass the Host header on',
    );
  }
}

/** The same whether the link is unknown, used or expired. */
export class SignInLinkInvalid extends AppError {
  readonly kind = 'invalid';
  readonly code = 'SIGN_IN_LINK_INVALID';

  constructor() {
    super('The sign-in link was used or has expired; the operator makes another with admin sign-in-link');
  }
}
