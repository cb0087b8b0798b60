export default {
  title: 'Diagnose',
  states: {
    ok: 'In Ordnung',
    warning: 'Warnung',
    error: 'Fehler',
    unknown: 'Nicht bekannt',
  },
  checks: {
    enabled: 'Aktiviert',
    connection: 'Verbindung',
    heartbeat: 'Lebenszeichen',
    battery_exemption: 'Akku-Optimierung',
    sms_permission: 'Berechtigung SMS',
    sim: 'SIM',
    receiving: 'Empfang',
    android_limit: 'Grenze von Android',
    clock: 'Uhr',
    app_version: 'Version der App',
  },
  text: {
    enabled: 'Es ist aktiviert.',
    disabled: 'Es ist deaktiviert: Es sendet nichts, und was es empfängt, wird nicht gespeichert.',
    stream_open: 'Seine Verbindung zum Dienst steht.',
    stream_closed: 'Es hat keine Verbindung zum Dienst: Nachrichten warten, bis sie wieder da ist.',
    push_ready: 'Push-Nachrichten erreichen es.',
    push_missing: 'Push-Nachrichten erreichen es nicht.',
    reachable: 'Es holt seine Nachrichten ab.',
    fetches_rarely: 'Es holt seine Nachrichten nur alle 15 Minuten ab.',
    unreachable: 'Es holt seine Nachrichten nicht ab.',
    unresponsive: 'Es ist erreichbar, antwortet aber nicht auf das, was ihm übergeben wird.',
    heartbeat_recent: 'Seine Lebenszeichen kommen an.',
    heartbeat_missed: 'Seit zwei Abständen von {{minutes}} Minuten ist kein Lebenszeichen angekommen.',
    heartbeat_off:
      'Sein Lebenszeichen (Heartbeat) ist ausgeschaltet: Niemand merkt, wenn Android die App beendet.',
    heartbeat_unknown: 'Es hat noch kein Lebenszeichen gesendet.',
    battery_exempt: 'Die App ist von der Akku-Optimierung ausgenommen.',
    battery_optimized: 'Die Akku-Optimierung ist für die App an: Android kann sie im Hintergrund beenden.',
    battery_unknown: 'Die App sagt nicht, ob sie von der Akku-Optimierung ausgenommen ist.',
    permission_granted: 'Die App darf SMS senden: Sie hat eine gesendet.',
    permission_refused: 'Die App darf keine SMS senden: Android hat es verweigert.',
    permission_unknown:
      'Es hat in letzter Zeit nichts gesendet; ob die App SMS senden darf, ist nicht bekannt.',
    sim_present: 'Es hat eine SIM.',
    sim_missing: 'Es meldet keine SIM.',
    sim_not_found: 'Die App hat die SIM einer Nachricht nicht gefunden.',
    sim_unknown: 'Die App sagt nicht, welche SIMs sie hat.',
    receiving: 'Der Empfang ist an, und SMS kommen an.',
    receiving_off: 'Der Empfang ist aus: SMS an dieses Telefon werden nicht gespeichert.',
    loop_test_lost: 'Der Empfang ist an, aber die SMS des letzten Schleifentests ist nicht angekommen.',
    receiving_unproven: 'Der Empfang ist an, aber unter seinen letzten Nachrichten ist keine empfangene.',
    limit_not_hit: 'Android hat keine seiner letzten Nachrichten begrenzt.',
    limit_hit: 'Android hat begrenzt, wie viele Nachrichten die App senden darf.',
    clock_right: 'Seine Uhr geht richtig.',
    clock_ahead:
      'Seine Uhr geht mindestens {{minutes}} Minuten vor: Die Zeiten seiner Nachrichten stimmen nicht.',
    clock_behind:
      'Seine Uhr geht mindestens {{minutes}} Minuten nach: Die Zeiten seiner Nachrichten stimmen nicht.',
    clock_unknown: 'Es hat in letzter Zeit nichts gesendet, womit sich seine Uhr vergleichen ließe.',
    version_known: 'Die App hat die Version {{version}}.',
    version_unknown: 'Die App hat ihre Version nicht genannt.',
  },
  remedy: {
    disabled: 'Aktivieren Sie es hier. Ist es in seiner App ausgeschaltet, schalten Sie es dort ein.',
    stream_closed:
      'Prüfen Sie, ob es eingeschaltet und online ist. Öffnen Sie die App, und prüfen Sie, ob sie gestartet ist und die richtige Adresse hat.',
    push_missing:
      'Öffnen Sie die App auf dem Telefon, damit es sich neu anmeldet. Hilft das nicht, richten Sie Firebase auf dem Server ein.',
    fetches_rarely:
      'Stellen Sie in der App den Notification channel auf SSE Only, und stoppen und starten Sie sie.',
    unreachable:
      'Prüfen Sie, ob es eingeschaltet und online ist. Öffnen Sie die App, und prüfen Sie, ob sie gestartet ist und die richtige Adresse hat.',
    unresponsive:
      'Öffnen Sie die App. Kommt es wieder vor, nehmen Sie sie von der Akku-Optimierung aus, und starten Sie das Telefon neu.',
    heartbeat_missed:
      'Öffnen Sie die App, prüfen Sie, ob Heartbeat oder Ping an ist, und nehmen Sie sie von der Akku-Optimierung aus.',
    heartbeat_off: 'Schalten Sie den Heartbeat in der App ein.',
    heartbeat_unknown:
      'Warten Sie einen Abstand lang. Kommt keines, prüfen Sie in der App, ob Heartbeat oder Ping an ist.',
    battery_optimized:
      'Stellen Sie in den Android-Einstellungen der App die Akkunutzung auf „Nicht eingeschränkt“.',
    battery_unknown:
      'Prüfen Sie in den Android-Einstellungen der App, ob die Akkunutzung „Nicht eingeschränkt“ ist.',
    permission_refused:
      'Tippen Sie in den Android-Einstellungen der App auf Berechtigungen, SMS, Zulassen. Ist es ausgegraut, tippen Sie zuerst auf ⋮ und „Eingeschränkte Einstellungen zulassen“.',
    permission_unknown: 'Senden Sie von ihm eine Testnachricht.',
    sim_missing:
      'Legen Sie eine SIM ein, geben Sie die PIN ein, und erlauben Sie der App die Berechtigung Telefon.',
    sim_not_found:
      'Erlauben Sie der App in den Android-Einstellungen die Berechtigung Telefon; prüfen Sie, ob die SIM im Telefon und eingeschaltet ist.',
    sim_unknown: 'Senden Sie von ihm eine Testnachricht.',
    receiving_off: 'Schalten Sie den Empfang in der App ein, wenn seine SMS gewünscht sind.',
    loop_test_lost:
      'Schalten Sie in der Nachrichten-App beider Telefone RCS-Chats aus: Sie verschlucken SMS. Erlauben Sie der App, SMS zu empfangen, und wiederholen Sie den Test.',
    receiving_unproven:
      'Senden Sie eine SMS an es. Erscheint sie hier nicht, erlauben Sie der App, SMS zu empfangen, und schalten Sie RCS-Chats in der Nachrichten-App des Telefons aus: Sie verschlucken SMS.',
    limit_hit:
      'Senken Sie partsPerMinute des Telefons, verteilen Sie das Senden über die Zeit, oder nehmen Sie ein weiteres Telefon dazu.',
    clock_ahead: 'Schalten Sie in den Android-Einstellungen Datum und Uhrzeit auf automatisch.',
    clock_behind: 'Schalten Sie in den Android-Einstellungen Datum und Uhrzeit auf automatisch.',
    clock_unknown: 'Senden Sie von ihm eine Testnachricht.',
    version_unknown: 'Prüfen Sie auf dem Telefon, ob sie aktuell ist.',
  },
};
