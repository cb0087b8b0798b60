import { appError } from '../../common/errors';

export class SessionNotFound extends appError(
  'not_found',
  'SESSION_NOT_FOUND',
  'The account has no session with this id',
) {}

export class SessionRequiredError extends appError(
  'invalid',
  'SESSION_REQUIRED',
  'This call needs a session, not an API key: sign in with POST /api/v1/auth/session and repeat it with ' +
    'the session',
) {}

/** The request has the session cookie, but a page of another origin could have sent it. */
export class CsrfCheckFailed extends appError(
  'invalid',
  'CSRF_CHECK_FAILED',
  'A call with the session cookie needs Content-Type: application/json and the Origin of the service; ' +
    'behind a proxy, forward the Host header',
) {}

/** Does not reveal whether the link is unknown, used or expired. */
export class SignInLinkInvalid extends appError(
  'invalid',
  'SIGN_IN_LINK_INVALID',
  'The sign-in link was used or has expired; ask the operator for a new one (admin sign-in-link)',
) {}
