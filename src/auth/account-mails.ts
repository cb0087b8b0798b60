import { printable } from '../common/printable';
import type { Mail } from '../mail/mailer';
import { CODE_LIFETIME_MINUTES } from './one-time-codes.service';

interface Addressee {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

export function verificationMail({ id, name, email }: Addressee, code: string): Mail {
  return {
    to: email,
    subject: 'Verify your e-mail address',
    text: `Hello ${printable(name)},

your verification code is ${code}

It is good for ${CODE_LIFETIME_MINUTES} minutes. Your account id, should you be asked for it, is ${id}
If you did not make an account with this address, ignore this mail: the account is removed after a day.
`,
  };
}

export function passwordResetMail({ name, email }: Addressee, code: string): Mail {
  return {
    to: email,
    subject: 'Reset your password',
    text: `Hello ${printable(name)},

your code to set a new password is ${code}

It is good for ${CODE_LIFETIME_MINUTES} minutes. If you did not ask for it, ignore this mail: your password stays.
`,
  };
}

/** Goes to the address that is to become the account's. */
export function changeCodeMail({ name, email }: Addressee, code: string): Mail {
  return {
    to: email,
    subject: 'Confirm your new e-mail address',
    text: `Hello ${printable(name)},

the code to confirm this address is ${code}

It is good for ${CODE_LIFETIME_MINUTES} minutes, while you are signed in. If you did not ask for it, ignore this mail.
`,
  };
}

/** Goes to the present address, so that its owner can stop what somebody else has asked for. */
export function changeRequestedMail({ name, email }: Addressee, newEmail: string): Mail {
  return {
    to: email,
    subject: 'A new e-mail address was requested',
    text: `Hello ${printable(name)},

your account is to have the e-mail address ${printable(newEmail)} once that address is confirmed. Until then nothing changes.

If you did not ask for this, somebody else knows your password: reset it now.
`,
  };
}

/** Goes to the address that was given up. */
export function emailChangedMail({ name, email }: Addressee, newEmail: string): Mail {
  return {
    to: email,
    subject: 'Your e-mail address was changed',
    text: `Hello ${printable(name)},

the e-mail address of your account is now ${printable(newEmail)}. If you did not change it, tell the operator of the service.
`,
  };
}
