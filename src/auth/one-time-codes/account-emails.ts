import { sanitizeLine } from '../../common/text/printable';
import type { Mail } from '../../infrastructure/mail/mailer';
import type { IssuedCode, Recipient } from './one-time-codes.service';

const mailTo = ({ name, email }: Recipient, subject: string, text: string): Mail => ({
  to: email,
  subject,
  text: `Hello ${sanitizeLine(name)},\n\n${text}\n`,
});

export function verificationEmail(recipient: Recipient, code: IssuedCode): Mail {
  return mailTo(
    recipient,
    'Verify your e-mail address',
    `your verification code is ${code.text}

It is valid for ${code.minutesLeft} minutes. Your account id, if you are asked for it, is ${recipient._id.toHexString()}
If you did not create an account with this address, ignore this e-mail: the account is removed after a day.`,
  );
}

export function passwordResetEmail(recipient: Recipient, code: IssuedCode): Mail {
  return mailTo(
    recipient,
    'Reset your password',
    `your code to set a new password is ${code.text}

It is valid for ${code.minutesLeft} minutes. If you did not request it, ignore this e-mail: your password does not change.`,
  );
}

/** Goes to the address that is to become the account's. */
export function emailChangeCodeEmail(recipient: Recipient, code: IssuedCode): Mail {
  return mailTo(
    recipient,
    'Confirm your new e-mail address',
    `the code to confirm this address is ${code.text}

It is valid for ${code.minutesLeft} minutes, while you are signed in. If you did not request it, ignore this e-mail.`,
  );
}

/** Sent to the current address, so that its owner notices a change that somebody else requested. */
export function emailChangeRequestedEmail(recipient: Recipient, newEmail: string): Mail {
  return mailTo(
    recipient,
    'A new e-mail address was requested',
    `the e-mail address of your account changes to ${sanitizeLine(newEmail)} once that address is confirmed. Until then nothing changes.

If you did not request this, somebody else knows your password: reset it now.`,
  );
}

export function emailChangedEmail(recipient: Recipient, newEmail: string): Mail {
  return mailTo(
    recipient,
    'Your e-mail address was changed',
    `the e-mail address of your account is now ${sanitizeLine(newEmail)}. If you did not change it, tell the operator of the service.`,
  );
}
