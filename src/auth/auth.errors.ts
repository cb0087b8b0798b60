import { AppError, appError } from '../common/errors';

export class RegistrationClosed extends appError(
  'invalid',
  'REGISTRATION_CLOSED',
  'Registration is closed; ask the operator for an account',
) {}

export class SessionRequiredError extends appError(
  'invalid',
  'SESSION_REQUIRED',
  'This call needs a session, not an API key: sign in with POST /api/v1/auth/session and repeat it with ' +
    'the session',
) {}

export class EmailTaken extends appError(
  'invalid',
  'EMAIL_TAKEN',
  'An account with this e-mail address already exists; sign in, or reset the password',
) {}

export class EmailAlreadyVerified extends appError(
  'invalid',
  'EMAIL_ALREADY_VERIFIED',
  'The e-mail address is already verified',
) {}

export class EmailNotVerified extends appError(
  'invalid',
  'EMAIL_NOT_VERIFIED',
  'The e-mail address of the account is not verified; verify it, then try again',
) {}

/** Does not reveal whether the code is wrong, expired, used or had too many attempts, or whether the account exists. */
export class CodeInvalid extends appError(
  'invalid',
  'CODE_INVALID',
  'The code is wrong, used or expired; request a new one',
) {}

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
