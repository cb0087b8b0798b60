export default {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  submit: 'Sign in',
  ended:
    'You were signed out: this session was ended or has expired. Sign in again to go on where you were; what you typed is kept.',
  wrong: 'E-mail address or password is wrong.',
  withLink: 'Signing in with the link …',
  linkInvalid:
    'This link was already used, or is older than ten minutes. Get another one with "npm run admin -- sign-in-link".',
  noCookie:
    'You cannot sign in, because the proxy in front of the service changes the address of this page ({{address}}). Have it forward the Host header with its port, or use HTTPS. A sign-in link is used up now.',
  forgotten: 'Forgot your password?',
  noPassword:
    'No password yet? "npm start" prints a link that signs you in, and "npm run admin -- sign-in-link" prints another one.',
  reset: {
    title: 'Reset your password',
    explanation: 'We send a code to your e-mail address. Enter it here with a new password.',
    request: 'Send the code',
    sent: 'If there is such an account, the code is on its way. It is valid for fifteen minutes.',
    code: 'Code from the e-mail',
    newPassword: 'New password',
    submit: 'Set the password',
    done: 'Your password was changed. Sign in with it.',
    back: 'Back to sign in',
  },
};
