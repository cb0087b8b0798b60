import { sanitizeLine } from '../../common/printable';
import type { Mail } from '../../infrastructure/mail/mailer';
import type { IssuedCode } from '../one-time-codes/one-time-codes.service';

interface Addressee {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export function verificationEmail({ id, name, email }: Addressee, code: IssuedCode): Mail {
  return {
    to: email,
    subject: 'Verify your e-mail address',
    text: `Hello ${sanitizeLine(name)},

your verification code is ${code.text}

It is valid for ${code.minutesLeft} minutes. Your account id, if you are asked for it, is ${id}
If you did not create an account with this address, ignore this e-mail: the account is removed after a day.
`,
  };
}

export function passwordResetEmail({ name, email }: Addressee, code: IssuedCode): Mail {
  return {
    to: email,
    subject: 'Reset your password',
    text: `Hello ${sanitizeLine(name)},

your code to set a new password is ${code.text}

It is valid for ${code.minutesLeft} minutes. If you did not request it, ignore this e-mail: your password does not change.
`,
  };
}

/** Goes to the address that is to become the account's. */
export function emailChangeCodeEmail({ name, email }: Addressee, code: IssuedCode): Mail {
  return {
    to: email,
    subject: 'Confirm your new e-mail address',
    text: `Hello ${sanitizeLine(name)},

the code to confirm this address is ${code.text}

It is valid for ${code.minutesLeft} minutes, while you are signed in. If you did not request it, ignore this e-mail.
`,
  };
}

/** Sent to the current address, so that its owner notices a change that somebody else requested. */
export function emailChangeRequestedEmail({ name, email }: Addressee, newEmail: string): Mail {
  return {
    to: email,
    subject: 'A new e-mail address was requested',
    text: `Hello ${sanitizeLine(name)},

the e-mail address of your account changes to ${sanitizeLine(newEmail)} once that address is confirmed. Until then nothing changes.

If you did not request this, somebody else knows your password: reset it now.
`,
  };
}

export function emailChangedEmail({ name, email }: Addressee, newEmail: string): Mail {
  return {
    to: email,
    subject: 'Your e-mail address was changed',
    text: `Hello ${sanitizeLine(name)},

the e-mail address of your account is now ${sanitizeLine(newEmail)}. If you did not change it, tell the operator of the service.
`,
  };
}
