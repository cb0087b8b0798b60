export default {
  title: 'Diagnóstico',
  states: {
    ok: 'Correcto',
    warning: 'Aviso',
    error: 'Error',
    unknown: 'No se sabe',
  },
  checks: {
    enabled: 'Activado',
    connection: 'Conexión',
    heartbeat: 'Señal de vida',
    battery_exemption: 'Optimización de la batería',
    sms_permission: 'Permiso de SMS',
    sim: 'SIM',
    receiving: 'Recepción',
    android_limit: 'Límite de Android',
    clock: 'Reloj',
    app_version: 'Versión de la aplicación',
  },
  text: {
    enabled: 'Está activado.',
    disabled: 'Está desactivado: no envía nada, y lo que recibe no se guarda.',
    stream_open: 'Su conexión con el servicio está abierta.',
    stream_closed: 'No tiene conexión con el servicio: los mensajes esperan hasta que vuelva.',
    push_ready: 'Las notificaciones push le llegan.',
    push_missing: 'Las notificaciones push no le llegan.',
    reachable: 'Recoge sus mensajes.',
    fetches_rarely: 'Recoge sus mensajes solo cada 15 minutos.',
    unreachable: 'No recoge sus mensajes.',
    unresponsive: 'Se puede alcanzar, pero no responde a lo que se le entrega.',
    heartbeat_recent: 'Sus señales de vida llegan.',
    heartbeat_missed: 'No ha llegado ninguna señal de vida en dos intervalos de {{minutes}} minutos.',
    heartbeat_off:
      'Su señal de vida (heartbeat) está desactivada: nadie nota si Android cierra la aplicación.',
    heartbeat_unknown: 'Aún no ha enviado ninguna señal de vida.',
    battery_exempt: 'La aplicación está exenta de la optimización de la batería.',
    battery_optimized:
      'La optimización de la batería está activa para la aplicación: Android puede cerrarla en segundo plano.',
    battery_unknown: 'La aplicación no dice si está exenta de la optimización de la batería.',
    permission_granted: 'La aplicación puede enviar SMS: ha enviado uno.',
    permission_refused: 'La aplicación no puede enviar SMS: Android lo ha rechazado.',
    permission_unknown: 'No ha enviado nada últimamente; no se sabe si la aplicación puede enviar SMS.',
    sim_present: 'Tiene una SIM.',
    sim_missing: 'No comunica ninguna SIM.',
    sim_not_found: 'La aplicación no encontró la SIM de un mensaje.',
    sim_unknown: 'La aplicación no dice qué SIM tiene.',
    receiving: 'La recepción está activa y los SMS llegan.',
    receiving_off: 'La recepción está desactivada: los SMS a este teléfono no se guardan.',
    loop_test_lost: 'La recepción está activa, pero el SMS de la última prueba de ida y vuelta no llegó.',
    receiving_unproven: 'La recepción está activa, pero ninguno de sus últimos mensajes es recibido.',
    limit_not_hit: 'Android no ha limitado ninguno de sus últimos mensajes.',
    limit_hit: 'Android ha limitado cuántos mensajes puede enviar la aplicación.',
    clock_right: 'Su reloj va bien.',
    clock_ahead:
      'Su reloj va adelantado al menos {{minutes}} minutos: las horas de sus mensajes no son correctas.',
    clock_behind:
      'Su reloj va atrasado al menos {{minutes}} minutos: las horas de sus mensajes no son correctas.',
    clock_unknown: 'No ha enviado nada últimamente con lo que comparar su reloj.',
    version_known: 'La aplicación tiene la versión {{version}}.',
    version_unknown: 'La aplicación no ha dicho su versión.',
  },
  remedy: {
    disabled: 'Actívelo aquí. Si se desactivó en su aplicación, actívelo allí.',
    stream_closed:
      'Compruebe que está encendido y en línea. Abra la aplicación y compruebe que está iniciada y que la dirección es correcta.',
    push_missing:
      'Abra la aplicación en el teléfono para que se registre de nuevo. Si no ayuda, configure Firebase en el servidor.',
    fetches_rarely: 'En la aplicación, ponga Notification channel en SSE Only, y deténgala e iníciela.',
    unreachable:
      'Compruebe que está encendido y en línea. Abra la aplicación y compruebe que está iniciada y que la dirección es correcta.',
    unresponsive:
      'Abra la aplicación. Si vuelve a ocurrir, exímala de la optimización de la batería y reinicie el teléfono.',
    heartbeat_missed:
      'Abra la aplicación, compruebe que el heartbeat o ping está activo y exímala de la optimización de la batería.',
    heartbeat_off: 'Active el heartbeat en la aplicación.',
    heartbeat_unknown:
      'Espere un intervalo. Si no llega ninguna, compruebe en la aplicación que el heartbeat o ping está activo.',
    battery_optimized:
      'En los ajustes de Android de la aplicación, ponga el uso de la batería sin restricciones.',
    battery_unknown:
      'En los ajustes de Android de la aplicación, compruebe que el uso de la batería no tiene restricciones.',
    permission_refused:
      'En los ajustes de Android de la aplicación, pulse Permisos, SMS, Permitir. Si está en gris, pulse antes ⋮ y «Permitir ajustes restringidos».',
    permission_unknown: 'Envíe un mensaje de prueba desde él.',
    sim_missing: 'Ponga una SIM, introduzca su PIN y conceda a la aplicación el permiso Teléfono.',
    sim_not_found:
      'En los ajustes de Android de la aplicación, conceda el permiso Teléfono; compruebe que la SIM está en el teléfono y activa.',
    sim_unknown: 'Envíe un mensaje de prueba desde él.',
    receiving_off: 'Active la recepción en la aplicación, si quiere sus SMS.',
    loop_test_lost:
      'En la aplicación de mensajes de ambos teléfonos, desactive los chats RCS: se tragan los SMS. Permita que la aplicación reciba SMS y repita la prueba.',
    receiving_unproven:
      'Envíele un SMS. Si no aparece aquí, permita que la aplicación reciba SMS y desactive los chats RCS en la aplicación de mensajes del teléfono: se tragan los SMS.',
    limit_hit: 'Baje partsPerMinute del teléfono, reparta los envíos en el tiempo o añada otro teléfono.',
    clock_ahead: 'En los ajustes de Android, active la fecha y hora automáticas.',
    clock_behind: 'En los ajustes de Android, active la fecha y hora automáticas.',
    clock_unknown: 'Envíe un mensaje de prueba desde él.',
    version_unknown: 'Compruebe en el teléfono que está al día.',
  },
};
