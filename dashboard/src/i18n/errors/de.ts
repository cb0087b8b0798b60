import type { ErrorTexts } from './error-texts';

export default {
  codes: {
    ACCOUNT_NOT_FOUND: 'Dieses Konto gibt es nicht.',
    API_KEY_ACTIVE: 'Der API-Schlüssel ist aktiv: Widerrufen Sie ihn, bevor Sie ihn löschen.',
    API_KEY_NOT_FOUND: 'Diesen API-Schlüssel gibt es im Konto nicht.',
    AUTH_INVALID: 'Die Anmeldung gilt nicht oder nicht mehr.',
    BATCH_CHANGING: 'Dieser Versand wird gerade geändert. Versuchen Sie es in einigen Sekunden erneut.',
    BATCH_HAS_SEVERAL_TIMES:
      'Die Nachrichten dieses Versands haben verschiedene Zeiten, deshalb lässt er sich nicht verschieben. Brechen Sie ihn ab, und senden Sie ihn erneut.',
    BATCH_NOT_FOUND: 'Diesen Versand gibt es im Konto nicht.',
    BATCH_STARTED:
      'Nur ein Versand, von dem noch keine Nachricht hinausging und der nicht abgebrochen ist, lässt sich verschieben.',
    BODY_TOO_LARGE: 'Das ist zu viel für eine Anfrage. Teilen Sie es auf.',
    CODE_INVALID: 'Der Code ist falsch, verbraucht oder abgelaufen. Fordern Sie einen neuen an.',
    CONCURRENCY_LIMITED: 'Davon laufen gerade zu viele gleichzeitig. Warten Sie, bis etwas davon endet.',
    CONVERSATION_NOT_FOUND: 'Mit dieser Nummer gibt es im Konto keine Nachrichten.',
    CSRF_CHECK_FAILED:
      'Der Server erkennt diese Seite nicht als seine eigene. Hinter einem Proxy muss er den Host-Header mit seinem Port weitergeben.',
    DELIVERY_NOT_FOUND: 'Diese Webhook-Zustellung gibt es im Konto nicht.',
    DELIVERY_UNDER_WAY: 'Ein Versuch läuft gerade. Sehen Sie in einer Minute nach seinem Ergebnis.',
    DEVICE_DISABLED: 'Das Telefon ist deaktiviert. Aktivieren Sie es, oder senden Sie von einem anderen.',
    DEVICE_DRAINING:
      'Das Telefon nimmt keine neuen Nachrichten. Lassen Sie es wieder welche nehmen, oder senden Sie von einem anderen.',
    DEVICE_HAS_UNSETTLED_MESSAGES:
      'Das Telefon hat Nachrichten, die warten oder übergeben sind. Brechen Sie sie ab, warten Sie auf den Bericht des Telefons, oder behalten Sie die Nachrichten.',
    DEVICE_LIMIT_REACHED:
      'Das Konto hat schon so viele Telefone, wie es haben darf. Löschen Sie zuerst eines.',
    DEVICE_NOT_FOUND: 'Dieses Telefon gibt es im Konto nicht.',
    DEVICE_NOT_PUSHABLE:
      'Das Telefon ist über Push nicht erreichbar. Öffnen Sie die App auf dem Telefon, damit es sich neu anmeldet.',
    DEVICE_REPLACED: 'Dieses Telefon ist schon durch ein anderes ersetzt.',
    EMAIL_ALREADY_VERIFIED: 'Die E-Mail-Adresse ist schon bestätigt.',
    EMAIL_NOT_VERIFIED: 'Die E-Mail-Adresse des Kontos ist nicht bestätigt. Bestätigen Sie sie zuerst.',
    EMAIL_TAKEN:
      'Ein Konto mit dieser E-Mail-Adresse gibt es schon. Melden Sie sich an, oder setzen Sie das Passwort zurück.',
    IDEMPOTENCY_KEY_REUSED:
      'Dieser Versand wurde schon mit anderem Inhalt angenommen. Senden Sie ihn als neuen.',
    MESSAGE_NOT_FOUND: 'Diese Nachricht gibt es nicht.',
    MESSAGE_UNSETTLED:
      'Die Nachricht ist noch unterwegs. Brechen Sie sie ab, oder warten Sie auf den Bericht des Telefons; dann lässt sie sich löschen.',
    NO_ENABLED_DEVICE: 'Kein aktives Telefon kann senden. Koppeln oder aktivieren Sie eines.',
    NO_ENABLED_SIM:
      'Der Pool hat keine aktive SIM in einem aktiven Telefon. Fügen Sie eine hinzu, oder aktivieren Sie eine.',
    OWN_ACCOUNT: 'Das eigene Konto lässt sich nicht deaktivieren. Bitten Sie einen anderen Betreiber.',
    POOL_HAS_MESSAGES:
      'Im Pool warten Nachrichten. Behalten Sie sie bei ihren SIMs, oder brechen Sie sie zuerst ab.',
    POOL_LIMIT_REACHED: 'Das Konto hat schon so viele Pools, wie es haben darf. Löschen Sie zuerst einen.',
    POOL_NOT_FOUND: 'Diesen Pool gibt es im Konto nicht.',
    PUSH_TOKEN_HELD:
      'Das Telefon ist über Push nicht erreichbar: Seine Push-Kennung gehört noch zu einem Telefon eines anderen Kontos. Sie wechselt, wenn jenes gelöscht wird oder sich nicht mehr meldet.',
    RATE_LIMITED: 'Das waren zu viele Anfragen in einer Minute. Versuchen Sie es in einer Minute erneut.',
    REGISTRATION_CLOSED: 'Die Registrierung ist geschlossen. Bitten Sie den Betreiber um ein Konto.',
    SEARCH_TOO_SLOW: 'Die Suche dauert zu lange. Grenzen Sie sie auf weniger Tage ein.',
    SEND_ABANDONED:
      'Der Versand wurde nicht rechtzeitig angenommen, und nichts wurde gesendet. Senden Sie erneut.',
    SESSION_NOT_FOUND: 'Diese Sitzung gibt es im Konto nicht.',
    SIGN_IN_LINK_INVALID:
      'Der Anmelde-Link wurde benutzt oder ist abgelaufen. Bitten Sie den Betreiber um einen neuen.',
    SIM_NOT_FOUND: 'Diese SIM gibt es im Konto nicht.',
    CONTACT_BUSY: 'Der Kontakt wird gerade von anderen geändert. Versuchen Sie es erneut.',
    CONTACT_HAS_UNSETTLED_MESSAGES:
      'Der Kontakt hat Nachrichten, die warten oder unterwegs sind. Brechen Sie sie ab, oder warten Sie, bis das Telefon sie gemeldet hat.',
    CONTACT_NOT_FOUND: 'Diesen Kontakt gibt es im Konto nicht.',
    CONTACT_NUMBER_TAKEN: 'Eine der Nummern gehört schon zu einem anderen Kontakt.',
    IMPORT_INTERRUPTED:
      'Das Hochladen stockte zu lange. Es wurde nichts importiert; laden Sie die Datei erneut hoch.',
    IMPORT_NOT_FOUND: 'Diesen Import gibt es im Konto nicht. Importe werden 30 Tage aufbewahrt.',
    IMPORT_FILE_UNREADABLE:
      'Diese Datei lässt sich nicht als CSV lesen. Speichern Sie sie als „CSV UTF-8“, und prüfen Sie, ob jedes Anführungszeichen geschlossen ist.',
    IMPORT_RUNNING:
      'Ein anderer Import läuft gerade. Warten Sie, bis er fertig ist, oder machen Sie ihn rückgängig.',
    LIST_IS_SEGMENT:
      'Die Liste ist ein Segment: Ihre Mitglieder sind die Kontakte, die ihre Bedingung erfüllen.',
    LIST_LIMIT_REACHED: 'Das Konto hat schon so viele Listen, wie es haben darf. Löschen Sie zuerst eine.',
    LIST_NOT_FOUND: 'Diese Liste gibt es im Konto nicht.',
    SUPPRESSION_NOT_FOUND: 'Diese Sperre gibt es im Konto nicht, oder sie ist schon aufgehoben.',
    RECIPIENT_SUPPRESSED:
      'Alle Empfänger sind gesperrt, weil sie keine Nachrichten mehr möchten. Senden Sie mit dem Zweck transactional, worum sie gebeten haben.',
    TARGET_DEVICE_NOT_FOUND: 'Das andere Telefon gibt es im Konto nicht mehr.',
    TOO_MANY_API_KEYS:
      'Das Konto hat schon so viele aktive API-Schlüssel, wie es haben darf. Widerrufen Sie einen, der nicht mehr gebraucht wird.',
    TOO_MANY_ATTEMPTS: 'Das waren zu viele Versuche. Warten Sie ein wenig, und versuchen Sie es dann erneut.',
    TOO_MANY_CONCURRENT_REQUESTS:
      'Von dieser Adresse laufen zu viele Anfragen gleichzeitig. Warten Sie, bis die anderen beantwortet sind.',
    TOO_MANY_FIELD_NAMES:
      'Die Kontakte haben zu viele verschiedene Felder für eine Tabelle. Exportieren Sie die einer Liste oder mit einem Tag.',
    VIEW_LIMIT_REACHED: 'Das Konto hat schon so viele Ansichten, wie es haben darf. Löschen Sie zuerst eine.',
    VIEW_NOT_FOUND: 'Diese Ansicht gibt es im Konto nicht.',
    WEBHOOK_DELETED: 'Der Webhook wurde gelöscht; an ihn lässt sich nichts mehr zustellen.',
    WEBHOOK_LIMIT_REACHED:
      'Das Konto hat schon so viele Webhooks, wie es haben darf. Löschen Sie zuerst einen.',
    WEBHOOK_NOT_FOUND: 'Diesen Webhook gibt es im Konto nicht.',
    WEBHOOK_PAUSED: 'Der Webhook ist angehalten. Setzen Sie ihn zuerst fort.',
    WEBHOOK_SECRET_LOST:
      'Das Geheimnis oder ein Header lässt sich nicht entschlüsseln, weil der Schlüssel dazu fehlt. Setzen Sie beides neu.',
    WRONG_PASSWORD: 'Das ist nicht das Passwort des Kontos.',
    LOOP_TEST_NOT_SET_UP:
      'Wählen Sie zuerst zwei SIMs, die in Telefonen des Kontos stecken, und geben Sie ihre Nummern an.',
    LOOP_TEST_RUNNING: 'Ein Schleifentest läuft schon; er endet innerhalb von zehn Minuten.',
  },
  planLimits: {
    daily:
      'Der Plan erlaubt {{dailyLimit}} Nachrichten am Tag; {{dailyRemaining}} sind an diesem Tag übrig, und dieser Versand braucht mehr.',
    monthly:
      'Der Plan erlaubt {{monthlyLimit}} Nachrichten im Monat; {{monthlyRemaining}} sind in diesem Monat übrig, und dieser Versand braucht mehr.',
    batch: 'Der Plan erlaubt {{bulkSendLimit}} Empfänger je Versand, und dieser hat mehr.',
  },
  fields: {
    tooLong: 'Höchstens {} Zeichen sind möglich',
    tooShort: 'Mindestens {} Zeichen sind nötig',
    tooSmall: 'Mindestens {} ist nötig',
    tooLarge: 'Höchstens {} ist möglich',
    notWhole: 'Geben Sie eine ganze Zahl ein',
    empty: 'Hier fehlt etwas',
    notText: 'Geben Sie einen Text ein',
    noAddress: 'Das ist keine E-Mail-Adresse',
    unknownChoice: 'Möglich sind: {}',
    tooMany: 'Höchstens {} Einträge sind möglich',
    tooFew: 'Mindestens {} Einträge sind nötig',
    noId: 'Das ist keine gültige Kennung',
    noNumber: 'Das ist keine Telefonnummer: 3 bis 15 Ziffern, mit oder ohne + davor',
    noTime: 'Das ist keine gültige Zeit',
    noTimeZone: 'Das ist keine Zeitzone, wie etwa {}',
    noTimeOfDay: 'Geben Sie eine Uhrzeit ein: HH:MM',
    notLater: 'Das Ende muss nach dem Anfang liegen',
    taken: 'Diesen Namen gibt es schon',
    noSim: 'Diese SIM gibt es im Konto nicht',
    simNotOfPool: 'Diese SIM gehört nicht zum Pool',
    repeated: 'Das kommt schon einmal vor',
    keywordTaken: 'Dieses Wort bedeutet schon etwas anderes ({})',
    noPrefix: 'Geben Sie ein + und 1 bis 7 Ziffern ein, wie {}',
    noContact: 'Diesen Kontakt gibt es im Konto nicht',
    noLanguage: 'Geben Sie ein Sprachkürzel wie {} an',
    noCountry: 'Das ist kein Land, wie etwa {}',
    privateAddress: 'Diese Adresse ist nicht öffentlich erreichbar',
    unusableAddress: 'Diese Adresse lässt sich nicht verwenden ({})',
    numberNeeded: 'wird gebraucht, denn das Telefon nennt die Nummer dieser SIM nicht',
    required: 'Hier fehlt etwas',
  },
  more: 'und {} weitere',
} satisfies ErrorTexts;
