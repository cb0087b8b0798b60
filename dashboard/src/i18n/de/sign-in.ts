import type { Translation } from '../en';

export default {
  title: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  ended:
    'Sie wurden abgemeldet: Diese Sitzung wurde beendet oder ist abgelaufen. Melden Sie sich wieder an, um dort weiterzumachen; was Sie geschrieben haben, ist noch da.',
  wrong: 'E-Mail-Adresse oder Passwort ist falsch.',
  withLink: 'Anmeldung mit dem Link …',
  linkInvalid:
    'Dieser Link wurde schon benutzt oder ist älter als zehn Minuten. Einen neuen gibt es mit „npm run admin -- sign-in-link“.',
  noCookie:
    'Die Anmeldung ist nicht möglich, weil der Proxy vor dem Dienst die Adresse dieser Seite ({{address}}) verändert. Er muss den Host-Header mit dem Port weiterleiten, oder verwenden Sie HTTPS. Ein Anmeldelink ist damit verbraucht.',
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
