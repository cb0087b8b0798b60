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
    super('An account with this e-mail address already exists; sign in, or reset the password');
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

/** Does not reveal whether the code is wrong, expired, used or had too many attempts, or whether the account exists. */
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
