import type { Translation } from '../catalogue';

export default {
  title: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
  withLink: 'Anmeldung mit dem Link …',
  linkInvalid:
    'Dieser Link wurde schon benutzt oder ist älter als zehn Minuten. Einen neuen gibt es mit „npm run admin -- sign-in-link“.',
  forgotten: 'Passwort vergessen?',
  noPassword:
    'Noch kein Passwort? „npm start“ gibt einen Link aus, der Sie anmeldet; „npm run admin -- sign-in-link“ einen weiteren.',
  reset: {
    title: 'Passwort zurücksetzen',
    explanation:
      'Wir senden einen Code an Ihre E-Mail-Adresse. Geben Sie ihn hier mit einem neuen Passwort ein.',
    request: 'Code senden',
    sent: 'Wenn es dieses Konto gibt, ist der Code unterwegs. Er gilt fünfzehn Minuten.',
    code: 'Code aus der E-Mail',
    newPassword: 'Neues Passwort',
    submit: 'Passwort setzen',
    done: 'Ihr Passwort wurde geändert. Melden Sie sich damit an.',
    back: 'Zurück zur Anmeldung',
  },
} satisfies Translation['signIn'];
