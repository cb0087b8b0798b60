import type { Translation } from '../en';

export default {
  text: {
    push_not_set_up_one: 'Push über Firebase Cloud Messaging ist auf dem Server nicht eingerichtet.',
    push_not_set_up_other: 'Push über Firebase Cloud Messaging ist auf dem Server nicht eingerichtet.',
    phone_offline_one: '{{name}} ist nicht erreichbar.',
    phone_offline_other: '{{count, number}} Telefone sind nicht erreichbar.',
    phone_unresponsive_one: '{{name}} antwortet nicht.',
    phone_unresponsive_other: '{{count, number}} Telefone antworten nicht.',
    phone_fetches_rarely_one: '{{name}} holt Nachrichten nur alle 15 Minuten ab.',
    phone_fetches_rarely_other: '{{count, number}} Telefone holen Nachrichten nur alle 15 Minuten ab.',
    phone_disabled_one: '{{name}} ist deaktiviert.',
    phone_disabled_other: '{{count, number}} Telefone sind deaktiviert.',
    incoming_messages_ignored_one:
      '{{name}} empfängt nicht, aber dort kommen Nachrichten an und werden verworfen.',
    incoming_messages_ignored_other:
      '{{count, number}} Telefone empfangen nicht, aber dort kommen Nachrichten an und werden verworfen.',
    battery_optimization_on_one: '{{name}}: Android kann die App beenden, weil die Akku-Optimierung an ist.',
    battery_optimization_on_other:
      '{{count, number}} Telefone: Android kann die App beenden, weil die Akku-Optimierung an ist.',
    battery_low_one: 'Der Akku von {{name}} ist fast leer und lädt nicht.',
    battery_low_other: 'Die Akkus von {{count, number}} Telefonen sind fast leer und laden nicht.',
    sim_unhealthy_one: '{{name}} sendet nicht.',
    sim_unhealthy_other: '{{count, number}} SIMs senden nicht.',
    sim_limit_reached_one: '{{name}} hat ein Limit erreicht.',
    sim_limit_reached_other: '{{count, number}} SIMs haben ein Limit erreicht.',
    sim_limit_near_one: '{{name}} hat ein Limit fast erreicht.',
    sim_limit_near_other: '{{count, number}} SIMs haben ein Limit fast erreicht.',
    phone_drained_one: '{{name}} nimmt keine neuen Nachrichten an und hat keine mehr.',
    phone_drained_other: '{{count, number}} Telefone nehmen keine neuen Nachrichten an und haben keine mehr.',
    no_phone_one: 'Es ist kein Telefon gekoppelt.',
    no_phone_other: 'Es ist kein Telefon gekoppelt.',
    no_enabled_phone_one:
      'Kein Telefon nimmt Nachrichten an: Jedes ist deaktiviert oder nimmt keine neuen mehr.',
    no_enabled_phone_other:
      'Kein Telefon nimmt Nachrichten an: Jedes ist deaktiviert oder nimmt keine neuen mehr.',
    pool_unusable_one: 'Keine SIM des Pools {{name}} kann gerade senden.',
    pool_unusable_other: '{{count, number}} Pools haben keine SIM, die gerade senden kann.',
    pool_paused_one: 'Der Pool {{name}} sendet gerade nichts, wie Sie es eingestellt haben.',
    pool_paused_other: '{{count, number}} Pools senden gerade nichts, wie Sie es eingestellt haben.',
    loop_test_failed_one: 'Eine SMS des Schleifentests kam bei {{name}} nicht an oder ging dort nicht ab.',
    loop_test_failed_other: '{{count, number}} SMS des Schleifentests kamen nicht an.',
    webhook_failing_one: 'Der Webhook {{name}} schlägt fehl.',
    webhook_failing_other: '{{count, number}} Webhooks schlagen fehl.',
    webhook_filter_outdated_one:
      'Der Webhook {{name}} ist auf Telefone oder Pools beschränkt, die gelöscht wurden.',
    webhook_filter_outdated_other:
      '{{count, number}} Webhooks sind auf Telefone oder Pools beschränkt, die gelöscht wurden.',
    webhook_paused_one: 'Der Webhook {{name}} wurde angehalten, weil er immer wieder fehlschlug.',
    webhook_paused_other: '{{count, number}} Webhooks wurden angehalten, weil sie immer wieder fehlschlugen.',
    email_unverified_one: 'Die E-Mail-Adresse {{name}} ist nicht bestätigt: Es kann nicht gesendet werden.',
    email_unverified_other:
      '{{count, number}} E-Mail-Adressen sind nicht bestätigt: Es kann nicht gesendet werden.',
    plan_nearly_used_one: 'Der Tarif ist fast aufgebraucht.',
    plan_nearly_used_other: 'Der Tarif ist fast aufgebraucht.',
    plan_used_up_one: 'Der Tarif ist aufgebraucht: Es kann nicht gesendet werden.',
    plan_used_up_other: 'Der Tarif ist aufgebraucht: Es kann nicht gesendet werden.',
  },
  ofPhone: {
    push_not_set_up:
      'Das Telefon wird über Firebase Cloud Messaging erreicht, das auf dem Server nicht eingerichtet ist.',
    phone_offline: 'Das Telefon ist nicht erreichbar.',
    phone_unresponsive: 'Das Telefon ist erreichbar, antwortet aber nicht.',
    phone_fetches_rarely: 'Das Telefon holt Nachrichten nur alle 15 Minuten ab.',
    phone_disabled: 'Das Telefon ist deaktiviert.',
    incoming_messages_ignored:
      'Auf dem Telefon kommen Nachrichten an, die verworfen werden, weil es deaktiviert oder der Empfang in der App ausgeschaltet ist.',
    battery_optimization_on:
      'Die Akku-Optimierung ist für die App an: Android beendet sie womöglich im Hintergrund.',
    battery_low: 'Der Akku ist fast leer und lädt nicht.',
    sim_unhealthy: 'Eine SIM sendet nicht: Ihre Nachrichten schlagen fehl oder werden nicht mehr zugestellt.',
    sim_limit_reached: 'Eine SIM hat ein Limit erreicht.',
    sim_limit_near: 'Eine SIM steht kurz vor einem Limit.',
    phone_drained: 'Das Telefon nimmt keine neuen Nachrichten an und hat keine mehr.',
  },
  remedy: {
    push_not_set_up:
      'Richten Sie Firebase auf dem Server ein, oder verwenden Sie eine App, die selbst eine Verbindung hält.',
    phone_offline:
      'Prüfen Sie, ob es eingeschaltet und mit dem Internet verbunden ist, und öffnen Sie die App.',
    phone_unresponsive:
      'Öffnen Sie die App auf dem Telefon. Wenn es wieder passiert, nehmen Sie die App von der Akku-Optimierung aus, und starten Sie das Telefon neu.',
    phone_fetches_rarely:
      'Stellen Sie in der App den Notification channel auf SSE Only, und stoppen und starten Sie sie.',
    phone_disabled:
      'Aktivieren Sie es, um wieder darüber zu senden und zu empfangen, oder löschen Sie es, wenn Sie es nicht mehr brauchen.',
    incoming_messages_ignored:
      'Aktivieren Sie das Telefon und schalten Sie den Empfang in der App ein, wenn Sie seine Nachrichten brauchen; sonst nehmen Sie die SIM heraus.',
    battery_optimization_on:
      'Stellen Sie in den Android-Einstellungen der App die Akkunutzung auf „Nicht eingeschränkt“.',
    battery_low: 'Schließen Sie das Telefon an ein Ladegerät an.',
    sim_unhealthy:
      'Prüfen Sie ihr Guthaben, ihren Tarif und den Empfang des Telefons, und ob der Anbieter sie gesperrt hat. Setzen Sie dann ihren Zustand zurück.',
    sim_limit_reached:
      'Ihre Nachrichten warten, bis der Zeitraum neu beginnt. Erhöhen Sie das Limit, wenn der Tarif der SIM mehr erlaubt, oder senden Sie über einen Pool mit weiteren SIMs.',
    sim_limit_near:
      'Nachrichten jenseits des Limits warten, bis der Zeitraum neu beginnt. Erhöhen Sie es, wenn der Tarif der SIM mehr erlaubt, oder senden Sie über einen Pool mit weiteren SIMs.',
    phone_drained:
      'Schalten Sie es aus, löschen Sie es, oder lassen Sie es wieder neue Nachrichten annehmen.',
    no_phone: 'Koppeln Sie ein Telefon auf einem der Wege unter Telefone.',
    no_enabled_phone: 'Aktivieren Sie ein Telefon, oder lassen Sie eines wieder neue Nachrichten annehmen.',
    pool_unusable:
      'Bringen Sie die Telefone und SIMs des Pools in Ordnung, oder fügen Sie ihm andere SIMs hinzu.',
    pool_paused:
      'Ihre Nachrichten warten. Um früher zu senden, erhöhen Sie ein Limit, aktivieren Sie eine SIM, oder fügen Sie dem Pool andere SIMs hinzu.',
    loop_test_failed: 'Der Schleifentest sagt, was zu tun ist. Starten Sie ihn danach erneut.',
    webhook_failing:
      'Sehen Sie sich die fehlgeschlagenen Zustellungen an, und beheben Sie den Fehler am Endpunkt. Zustellungen werden wiederholt.',
    webhook_filter_outdated: 'Wählen Sie andere, oder entfernen Sie seinen Filter.',
    webhook_paused: 'Beheben Sie den Fehler am Endpunkt, und aktivieren Sie den Webhook dann wieder.',
    email_unverified:
      'Geben Sie den Code aus der E-Mail ein, die an diese Adresse ging, oder fordern Sie eine neue an.',
    plan_nearly_used:
      'Warten Sie, bis er neu beginnt, oder bitten Sie den Betreiber des Dienstes um einen größeren Tarif.',
    plan_used_up:
      'Warten Sie, bis er neu beginnt, oder bitten Sie den Betreiber des Dienstes um einen größeren Tarif.',
  },
} satisfies Translation['problems'];
