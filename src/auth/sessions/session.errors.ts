import { appError } from '../../common/errors';

export class SessionNotFound extends appError(
  'not_found',
  'SESSION_NOT_FOUND',
  'The account has no session with this id',
) {}

/** The request has the session cookie, but a page of another origin could have sent it. */
export class CsrfCheckFailed extends appError(
  'invalid',
  'CSRF_CHECK_FAILED',
  'A call with the session cookie needs Content-Type: application/json and the Origin of the service; ' +
    'behind a proxy without TLS, forward the Host header with its port',
) {}

/** Does not reveal whether the link is unknown, used or expired. */
export class SignInLinkInvalid extends appError(
  'invalid',
  'SIGN_IN_LINK_INVALID',
  'The sign-in link was used or has expired; ask the operator for a new one (admin sign-in-link)',
) {}
