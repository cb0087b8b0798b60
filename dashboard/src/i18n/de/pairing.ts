import type { Translation } from '../en';

export default {
  title: 'Telefon koppeln',
  intro: 'Lassen Sie dieses Fenster offen. Es wechselt von selbst zum Telefon, sobald es sich gemeldet hat.',
  trial: 'Sie probieren aus: Noch ist kein echtes Telefon gekoppelt, und keine SMS verlässt den Rechner.',
  ways: 'Wege, ein Telefon zu koppeln',
  waiting: 'Wartet auf das Telefon',
  done: '{{name}} ist gekoppelt.',
  copyAddress: 'Adresse kopieren',
  code: 'Kopplungscode {{code}}',
  copyCode: 'Code kopieren',
  validFor: 'Gültig für {{time}}, für ein Telefon',
  expired: 'Der Code ist abgelaufen.',
  renew: 'Neuen Code erstellen',
  app: {
    title: 'SMS-Gateway-App',
    summary: 'App installieren, dann Adresse und Code eintippen.',
    download: 'QR-Code mit dem Download der App',
    installTitle: 'App installieren',
    installText:
      'Öffnen Sie diesen Code mit der Kamera des Telefons, und installieren Sie die heruntergeladene Datei:',
    release: 'Die übliche Variante, für Adressen mit https.',
    insecure: 'Die Variante für http im eigenen Netz.',
    typed: 'Was Sie eintippen',
    address: 'Adresse',
    code: 'Code',
    addressTitle: 'Adresse eingeben',
    addressText: 'Settings → Cloud server → API URL: die Adresse von oben.',
    otherAddress: 'Oder eine andere Adresse dieses Rechners',
    channelTitle: '„SSE Only“ wählen',
    channelText:
      'Auf derselben Seite: Notification channel → SSE Only. Sonst fragt das Telefon nur alle 15 Minuten nach Nachrichten.',
    codeTitle: 'Code eintippen',
    codeText: 'Home → Cloud server einschalten → auf Offline tippen → By Code: der Code von oben.',
    permissionsTitle: 'SMS erlauben',
    permissionsText:
      'Erlauben Sie SMS und Telefon, und schalten Sie die Akku-Optimierung aus. Falls Android ablehnt: App-Info → ⋮ → Eingeschränkte Einstellungen zulassen.',
    origin:
      'Arbeitet mit der App SMS Gateway for Android (SMSGate) zusammen, einem unabhängigen Projekt. Ihr Protokoll wurde in Version 1.68.0 gelesen und mit einem strengen Nachbau der App erprobt, nicht mit einem Telefon.',
    off: 'Das Protokoll der App ist in dieser Installation abgeschaltet (SMSGATE_PATH).',
    noAddress:
      'Kein Telefon erreicht diesen Dienst: Er ist nur auf diesem Rechner erreichbar. Setzen Sie HOST=0.0.0.0 für das eigene Netz oder PUBLIC_URL auf die Adresse, die ein Proxy bedient, und starten Sie ihn neu. Oder nehmen Sie das Kabel.',
  },
  cable: {
    title: 'Kabel',
    summary: 'Ein Befehl richtet ein Telefon am USB-Kabel ein.',
    stepConnect:
      'Schalten Sie am Telefon das USB-Debugging ein, und verbinden Sie es mit dem Rechner, auf dem der Dienst läuft.',
    stepRun: 'Führen Sie dies im Ordner des Dienstes aus, mit der Datei der App:',
    download: 'herunterladen',
    stepAddress: 'Geben Sie in der App diese Adresse ein; sie führt durch das Kabel:',
    stepCode: 'Wählen Sie By Code, und tippen Sie:',
    copyCommand: 'Befehl kopieren',
    none: 'Der Dienst ist nicht durch ein Kabel erreichbar, weil er auf einer anderen Adresse als der dieses Rechners selbst lauscht (HOST) oder das Protokoll der App abgeschaltet ist (SMSGATE_PATH).',
  },
  own: {
    title: 'Eigene App',
    summary: 'Einen Schlüssel mit einer eigenen App scannen.',
    keyName: 'Telefon',
    stepApp:
      'Installieren Sie die App auf einem Android-Telefon, und erlauben Sie ihr, SMS zu senden und zu empfangen.',
    stepAddress: 'Geben Sie in der App die Adresse dieses Dienstes ein:',
    stepScan: 'Scannen Sie diesen Code mit der App, oder geben Sie den Schlüssel ein:',
    copyAddress: 'Adresse kopieren',
    copyKey: 'Schlüssel kopieren',
    code: 'QR-Code mit dem Schlüssel des Telefons',
    localAddress:
      'Ein Telefon erreicht diese Adresse nicht. Öffnen Sie die Seite unter einer Adresse dieses Rechners in Ihrem Netz, zum Beispiel http://192.168.1.10{{port}}.',
    validity:
      'Der Schlüssel gilt für ein Telefon: das erste, das sich damit anmeldet. Er wird gelöscht, wenn Sie das Fenster unbenutzt schließen.',
  },
  checks: {
    title: 'Ist alles eingerichtet?',
    close: 'Schließen',
    passed: 'In Ordnung',
    waiting: 'Noch nicht bekannt',
    failed: 'Zu beheben',
    virtual:
      'Dies ist ein virtuelles Telefon: Keine Prüfung sagt etwas über ein echtes. Es ist zum Ausprobieren da.',
    channel: 'Kanal',
    channelOk: 'Das Telefon ist verbunden und erfährt sofort von neuen Nachrichten.',
    channelWaiting:
      'Das Telefon ist nicht verbunden. In der App: Settings → Cloud server → Notification channel → SSE Only, dann Cloud server aus- und einschalten.',
    version: 'Version der App',
    versionIs: {
      passed: '{{version}} ist neu genug.',
      waiting: 'Das Telefon hat seine Version noch nicht gemeldet.',
      failed: '{{version}} ist zu alt. Installieren Sie Version 1.53 oder neuer.',
    },
    sms: 'Erlaubnis, SMS zu senden',
    smsText: 'Nur eine Nachricht zeigt es. Sie ist echt und kann so viel kosten wie eine SMS.',
    recipient: 'An',
    recipientExample: '+4915112345678',
    send: 'Testnachricht senden',
    again: 'Noch einmal versuchen',
    smsMessage: 'Testnachricht von {{name}}',
    smsFailed: 'Am Telefon: App-Info → Berechtigungen → SMS → Zulassen.',
    battery: 'Akku',
    charge: 'Ladung: {{battery}}.',
    batteryIs: {
      passed: 'Die App ist von der Akku-Optimierung ausgenommen.',
      waiting:
        'Das Telefon meldet nicht, ob die App im Hintergrund laufen darf. In der App: Settings → System → Akku-Optimierung ausschalten.',
      failed:
        'Die Akku-Optimierung ist an: Android kann die App beenden. In der App: Settings → System → ausschalten.',
    },
  },
} satisfies Translation['pairing'];
