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
    text: `Hello ${name},

your verification code is ${code}

It is good for ${CODE_LIFETIME_MINUTES} minutes. Your account id, should you be asked for it, is ${id}
If you have not made an account with this address, you need do nothing.
`,
  };
}

export function passwordResetMail({ name, email }: Addressee, code: string): Mail {
  return {
    to: email,
    subject: 'Reset your password',
    text: `Hello ${name},

your code to set a new password is ${code}

It is good for ${CODE_LIFETIME_MINUTES} minutes. If you have not asked for it, you need do nothing: your password stays.
`,
  };
}

/** Goes to the address that is given up, so that its owner learns of a change somebody else has made. */
export function emailChangedMail(former: Addressee, email: string): Mail {
  return {
    to: former.email,
    subject: 'Your e-mail address was changed',
    text: `Hello ${former.name},

the e-mail address of your account is now ${email}. If you have not changed it, tell the operator of the service.
`,
  };
}
