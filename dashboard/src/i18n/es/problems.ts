import type { Translation } from '../en';

export default {
  text: {
    push_not_set_up_one: 'El envío por Firebase Cloud Messaging no está configurado en el servidor.',
    push_not_set_up_other: 'El envío por Firebase Cloud Messaging no está configurado en el servidor.',
    phone_offline_one: 'No se puede contactar con {{name}}.',
    phone_offline_other: 'No se puede contactar con {{count, number}} teléfonos.',
    phone_unresponsive_one: '{{name}} no responde.',
    phone_unresponsive_other: '{{count, number}} teléfonos no responden.',
    phone_fetches_rarely_one: '{{name}} recoge sus mensajes solo cada 15 minutos.',
    phone_fetches_rarely_other: '{{count, number}} teléfonos recogen sus mensajes solo cada 15 minutos.',
    phone_disabled_one: '{{name}} está desactivado.',
    phone_disabled_other: '{{count, number}} teléfonos están desactivados.',
    incoming_messages_ignored_one: '{{name}} no recibe, pero allí llegan mensajes y se descartan.',
    incoming_messages_ignored_other:
      '{{count, number}} teléfonos no reciben, pero allí llegan mensajes y se descartan.',
    battery_optimization_on_one:
      '{{name}}: Android puede detener la aplicación, porque la optimización de batería está activada.',
    battery_optimization_on_other:
      '{{count, number}} teléfonos: Android puede detener la aplicación, porque la optimización de batería está activada.',
    battery_low_one: 'La batería de {{name}} está baja y no se está cargando.',
    battery_low_other: 'Las baterías de {{count, number}} teléfonos están bajas y no se están cargando.',
    sim_unhealthy_one: '{{name}} no envía.',
    sim_unhealthy_other: '{{count, number}} SIM no envían.',
    sim_limit_reached_one: '{{name}} ha alcanzado un límite.',
    sim_limit_reached_other: '{{count, number}} SIM han alcanzado un límite.',
    sim_limit_near_one: '{{name}} está cerca de un límite.',
    sim_limit_near_other: '{{count, number}} SIM están cerca de un límite.',
    phone_drained_one: '{{name}} no acepta mensajes nuevos y no le queda ninguno.',
    phone_drained_other: '{{count, number}} teléfonos no aceptan mensajes nuevos y no les queda ninguno.',
    no_phone_one: 'No hay ningún teléfono vinculado.',
    no_phone_other: 'No hay ningún teléfono vinculado.',
    no_enabled_phone_one: 'Ningún teléfono acepta mensajes: cada uno está desactivado o no acepta nuevos.',
    no_enabled_phone_other: 'Ningún teléfono acepta mensajes: cada uno está desactivado o no acepta nuevos.',
    pool_unusable_one: 'Ninguna SIM del grupo {{name}} puede enviar ahora.',
    pool_unusable_other: '{{count, number}} grupos no tienen ninguna SIM que pueda enviar ahora.',
    pool_paused_one: 'El grupo {{name}} no envía nada ahora, tal como usted lo ha configurado.',
    pool_paused_other: '{{count, number}} grupos no envían nada ahora, tal como usted los ha configurado.',
    loop_test_failed_one: 'Un texto de la prueba de ida y vuelta no llegó a {{name}} o no salió de allí.',
    loop_test_failed_other: '{{count, number}} textos de la prueba de ida y vuelta no llegaron.',
    webhook_failing_one: 'El webhook {{name}} falla.',
    webhook_failing_other: '{{count, number}} webhooks fallan.',
    webhook_filter_outdated_one: 'El webhook {{name}} está limitado a teléfonos o grupos que se eliminaron.',
    webhook_filter_outdated_other:
      '{{count, number}} webhooks están limitados a teléfonos o grupos que se eliminaron.',
    webhook_paused_one: 'El webhook {{name}} se ha pausado porque fallaba repetidamente.',
    webhook_paused_other: '{{count, number}} webhooks se han pausado porque fallaban repetidamente.',
    email_unverified_one: 'La dirección {{name}} no está verificada: se rechazan los envíos.',
    email_unverified_other: '{{count, number}} direcciones no están verificadas: se rechazan los envíos.',
    plan_nearly_used_one: 'El plan está casi agotado.',
    plan_nearly_used_other: 'El plan está casi agotado.',
    plan_used_up_one: 'El plan está agotado: se rechazan los envíos.',
    plan_used_up_other: 'El plan está agotado: se rechazan los envíos.',
  },
  ofPhone: {
    push_not_set_up:
      'Al teléfono se llega por Firebase Cloud Messaging, que no está configurado en el servidor.',
    phone_offline: 'No se puede contactar con el teléfono.',
    phone_unresponsive: 'El teléfono está conectado, pero no responde.',
    phone_fetches_rarely: 'El teléfono recoge sus mensajes solo cada 15 minutos.',
    phone_disabled: 'El teléfono está desactivado.',
    incoming_messages_ignored:
      'Al teléfono llegan mensajes que se descartan, porque está desactivado o la recepción está desactivada en la aplicación.',
    battery_optimization_on:
      'La optimización de batería está activada para la aplicación: Android puede detenerla en segundo plano.',
    battery_low: 'La batería está baja y no se está cargando.',
    sim_unhealthy: 'Una SIM no envía: sus mensajes fallan o ya no se entregan.',
    sim_limit_reached: 'Una SIM ha alcanzado un límite.',
    sim_limit_near: 'Una SIM está cerca de un límite.',
    phone_drained: 'El teléfono no acepta mensajes nuevos y no le queda ninguno.',
  },
  remedy: {
    push_not_set_up:
      'Configure Firebase en el servidor o use una aplicación que mantenga su propia conexión.',
    phone_offline: 'Compruebe que está encendido y conectado a internet, y abra la aplicación.',
    phone_unresponsive:
      'Abra la aplicación en el teléfono. Si ocurre de nuevo, exima la aplicación de la optimización de batería y reinicie el teléfono.',
    phone_fetches_rarely: 'En la aplicación, ponga Notification channel en SSE Only, y deténgala e iníciela.',
    phone_disabled: 'Actívelo para volver a enviar y recibir con él, o elimínelo si ya no se usa.',
    incoming_messages_ignored:
      'Active el teléfono y la recepción en la aplicación si necesita sus mensajes; si no, retire la SIM.',
    battery_optimization_on:
      'En los ajustes de Android de la aplicación, ponga el uso de la batería en «Sin restricciones».',
    battery_low: 'Conecte el teléfono a un cargador.',
    sim_unhealthy:
      'Compruebe su saldo, su tarifa y la cobertura del teléfono, y si el operador la ha bloqueado. Después restablezca su estado.',
    sim_limit_reached:
      'Sus mensajes esperan hasta que el límite empiece de nuevo. Aumente el límite si la tarifa de la SIM lo permite, o envíe por un grupo con otras SIM.',
    sim_limit_near:
      'Los mensajes por encima del límite esperan hasta que empiece de nuevo. Auméntelo si la tarifa de la SIM lo permite, o envíe por un grupo con otras SIM.',
    phone_drained: 'Apáguelo o elimínelo, o haga que vuelva a aceptar mensajes nuevos.',
    no_phone: 'Vincule un teléfono de una de las formas que hay en Teléfonos.',
    no_enabled_phone: 'Active un teléfono o permita que uno vuelva a aceptar mensajes.',
    pool_unusable: 'Repare los teléfonos y las SIM del grupo, o añádale otras SIM.',
    pool_paused:
      'Sus mensajes esperan. Para enviar antes, aumente un límite, active una SIM o añada otras SIM al grupo.',
    loop_test_failed: 'La prueba de ida y vuelta dice qué hacer. Repítala después.',
    webhook_failing: 'Consulte sus entregas fallidas y repare el destino. Las entregas se repiten.',
    webhook_filter_outdated: 'Elija otros o quite su filtro.',
    webhook_paused: 'Repare el destino y vuelva a activar el webhook.',
    email_unverified: 'Introduzca el código del correo que se le envió, o pida que se envíe otro.',
    plan_nearly_used: 'Espere a que empiece de nuevo, o pida un plan mayor a quien administra el servicio.',
    plan_used_up: 'Espere a que empiece de nuevo, o pida un plan mayor a quien administra el servicio.',
  },
} satisfies Translation['problems'];
