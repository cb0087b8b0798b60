import type { Translation } from '../en';

export default {
  '1': 'Das Telefon konnte die Nachricht nicht senden (allgemeiner Fehler).',
  '2': 'Das Telefon funkt nicht: Der Flugmodus ist an.',
  '3': 'Das Telefon konnte die Nachricht nicht kodieren.',
  '4': 'Das Telefon hat kein Netz.',
  '5': 'Android begrenzt, wie viele Nachrichten eine App senden darf.',
  '7': 'Der Nutzer des Telefons hat die Kurzwahl nicht erlaubt.',
  '8': 'Kurzwahlen sind auf dem Telefon gesperrt.',
  '17': 'Das Netz hat die Nachricht abgelehnt.',
  PERMISSION_DENIED: 'Die App darf keine SMS senden.',
  SENDING_EXCEPTION: 'Die App konnte die Nachricht nicht an Android übergeben.',
  SIM_NOT_FOUND: 'Das Telefon hat die SIM nicht, oder die App darf keine wählen.',
  DELIVERY_FAILED: 'Das Netz konnte die Nachricht nicht zustellen.',
  DEVICE_DISABLED: 'Das Telefon wurde deaktiviert, bevor die Nachricht hinausging.',
  DEVICE_DELETED: 'Das Telefon wurde gelöscht, bevor die Nachricht hinausging.',
  PUSH_UNAVAILABLE: 'Der Push-Dienst war 30 Minuten lang nicht erreichbar.',
  PUSH_TOKEN_INVALID: 'Die Push-Kennung des Telefons gilt nicht mehr.',
  PUSH_REFUSED: 'Der Push-Dienst hat die Nachricht abgelehnt.',
  PUSH_TOO_LONG: 'Der Text ist zu lang für den Push-Dienst.',
  EXPIRED:
    'Die Nachricht wurde nicht vor Ablauf ihrer Frist einem Telefon oder vom Telefon an Android übergeben.',
  PHONE_UNREACHABLE: 'Das Telefon war 72 Stunden lang nicht erreichbar.',
  CANCELLED: 'Der Versand wurde abgebrochen, bevor diese Nachricht hinausging.',
  SUPPRESSED: 'Der Empfänger ist gesperrt: Die Nachricht wurde nicht gesendet.',
  other: 'Das Telefon hat einen Fehler gemeldet.',
  otherWithCode: 'Das Telefon hat einen Fehler gemeldet (Code {{code}}).',
  quoted: '„{{text}}“',
  contradicted:
    'Danach hat das Telefon etwas anderes gemeldet: Fragen Sie beim Empfänger nach, bevor Sie erneut senden.',
  remedies: {
    '1': 'Prüfen Sie Empfang, Guthaben und die Nummer, und senden Sie dann erneut.',
    '2': 'Schalten Sie den Flugmodus aus, und senden Sie erneut.',
    '3': 'Prüfen Sie den Text auf ungewöhnliche Zeichen, und senden Sie erneut.',
    '4': 'Bringen Sie es dorthin, wo es Empfang hat, und senden Sie erneut.',
    '5': 'Verteilen Sie Ihre Nachrichten über mehr Zeit oder auf mehrere Telefone.',
    '7': 'Erlauben Sie sie auf dem Telefon, und senden Sie dann erneut.',
    '8': 'Erlauben Sie der App Premium-SMS in ihren Einstellungen, und senden Sie dann erneut.',
    '17': 'Warten Sie ein wenig, und senden Sie erneut; bleibt es dabei, fragen Sie den Anbieter der SIM.',
    PERMISSION_DENIED: 'Geben Sie ihr auf dem Telefon die SMS-Berechtigung, und senden Sie dann erneut.',
    SENDING_EXCEPTION: 'Aktualisieren Sie die App, oder starten Sie sie neu, und senden Sie dann erneut.',
    SIM_NOT_FOUND:
      'Setzen Sie die SIM ein, erlauben Sie der App die Berechtigung Telefon, und senden Sie dann erneut.',
    DELIVERY_FAILED: 'Prüfen Sie die Nummer, und senden Sie dann erneut.',
    DEVICE_DISABLED: 'Aktivieren Sie es, und senden Sie dann erneut.',
    DEVICE_DELETED: 'Senden Sie erneut von einem anderen Telefon.',
    PUSH_UNAVAILABLE: 'Prüfen Sie, ob er gestört ist, und senden Sie dann erneut.',
    PUSH_TOKEN_INVALID: 'Öffnen Sie die App auf dem Telefon, und senden Sie dann erneut.',
    PUSH_REFUSED: 'Prüfen Sie die Push-Einstellungen des Servers, und senden Sie dann erneut.',
    PUSH_TOO_LONG: 'Kürzen oder teilen Sie ihn, und senden Sie dann erneut.',
    EXPIRED:
      'Prüfen Sie das Telefon und die Grenzen seiner SIM, und senden Sie erneut, wenn die Nachricht noch gebraucht wird.',
    PHONE_UNREACHABLE:
      'Schalten Sie es ein, verbinden Sie es mit dem Internet und öffnen Sie die App; senden Sie erneut, wenn die Nachricht noch gebraucht wird.',
    CANCELLED: 'Senden Sie erneut, wenn die Nachricht noch gebraucht wird.',
    SUPPRESSED:
      'Beantwortet sie, worum der Empfänger gebeten hat, senden Sie sie mit dem Zweck transactional erneut. Sonst kann der Empfänger START schreiben, oder Sie heben die Sperre auf.',
    other: 'Prüfen Sie das Telefon und die Nummer, und senden Sie dann erneut.',
  },
  numbers: {
    format: 'ist keine Telefonnummer: 3 bis 15 Ziffern, mit oder ohne + davor',
    decimal:
      'ist eine Dezimalzahl: Entfernen Sie die Nachkommastellen; in einer Tabelle formatieren Sie die Spalte der Telefonnummern als Text',
    scientific:
      'ist eine Zahl, die eine Tabelle gekürzt hat: Formatieren Sie die Spalte der Telefonnummern als Text, und geben Sie die ganze Nummer ein',
    date: 'sieht wie ein Datum aus: Ist es eine Telefonnummer, schreiben Sie sie ohne Trennzeichen',
    ipAddress: 'sieht wie eine IP-Adresse aus: Ist es eine Telefonnummer, schreiben Sie sie ohne Punkte',
    several:
      'sieht wie mehrere Nummern aus oder wie eine mit Durchwahl: Jeder Eintrag muss eine einzelne Telefonnummer sein',
    nationalPrefix:
      'hat eine 0 nach der Ländervorwahl, die vielleicht nicht zur Nummer gehört: Schreiben Sie sie so, wie sie aus dem Ausland gewählt wird, etwa +4915112345678',
  },
} satisfies Translation['failures'];
