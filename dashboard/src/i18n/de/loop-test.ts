import type { Translation } from '../en';

export default {
  title: 'Schleifentest',
  description: 'Eine SMS von jeder von zwei SIMs an die andere zeigt, dass beide senden und empfangen.',
  run: 'Jetzt testen',
  emptyTitle: 'Zwei SIMs sind nötig',
  emptyText:
    'Der Schleifentest schickt SMS von einer SIM an die andere. Koppeln Sie ein weiteres Telefon oder legen Sie eine zweite SIM ein.',
  toPhones: 'Zu den Telefonen',
  result: 'Letzter Test',
  never: 'Noch nicht getestet. Wählen Sie zwei SIMs, speichern Sie und testen Sie.',
  started: 'Begonnen',
  to: 'an',
  seconds: 'Nach {{seconds, number}} s angekommen',
  results: { waiting: 'Unterwegs', lost: 'Nicht angekommen', not_sent: 'Nicht gesendet' },
  waitingText: 'Was in zehn Minuten nicht ankommt, gilt als verloren.',
  reasons: {
    refused: 'Der Dienst hat das Senden abgelehnt:',
    not_handed_over:
      'Sie wartet noch auf ihr Telefon oder ihre SIM. Prüfen Sie, ob das Telefon online ist und die SIM senden darf.',
    failed: 'Das Telefon meldete einen Fehler. Prüfen Sie Guthaben und Empfang der SIM.',
    not_reported:
      'Das Telefon hat sie, meldete aber nicht, dass es sie gesendet hat. Öffnen Sie die App auf dem Telefon.',
    receiving_off: 'Auf dem anderen Telefon ist der Empfang ausgeschaltet. Schalten Sie ihn in der App ein.',
    receiver_offline:
      'Das andere Telefon ist nicht erreichbar und konnte die SMS nicht weitergeben. Prüfen Sie, ob es eingeschaltet ist und Internet hat.',
    not_received:
      'Sie wurde gesendet, und der Empfang ist eingeschaltet, aber nichts kam an. RCS-Chats verschlucken SMS, bevor eine andere App sie sieht: Schalten Sie sie in der Nachrichten-App beider Telefone aus. Prüfen Sie dann, ob die App SMS lesen darf und ob die Nummer stimmt.',
  },
  message: 'Zur Nachricht',
  settings: 'Welche SIMs',
  counted:
    'Jeder Test sendet zwei Nachrichten. Sie sind gekennzeichnet und zählen für den Tarif und die Limits der SIMs wie alle Nachrichten.',
  first: 'Erste SIM',
  second: 'Zweite SIM',
  sim: 'SIM',
  number: 'Ihre Nummer',
  numberHint: 'Mit Ländervorwahl, etwa +491511234567. Sie wird bei der SIM gespeichert.',
  nightly: 'Jede Nacht testen',
  nightlyHint: 'Eine SMS, die nicht ankommt, ist ein Problem auf der Übersicht.',
  hour: 'Um',
  next: 'Der nächste Test läuft',
  saved: 'Der Schleifentest ist gespeichert.',
} satisfies Translation['loopTest'];
