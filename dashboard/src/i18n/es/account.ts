import type { Translation } from '../catalogue';

export default {
  title: 'Cuenta',
  wrongPassword: 'Esa no es la contraseña de esta cuenta. Si aún no tiene ninguna, establezca una primero.',
  profile: {
    title: 'Perfil',
    name: 'Nombre',
    country: 'País predeterminado',
    countryHint: 'Donde se marcan los números sin +, para reconocerlos escritos de otra forma.',
    countryOfSim: 'El país de la SIM',
    saved: 'El perfil se ha guardado.',
  },
  email: {
    title: 'Dirección de correo electrónico',
    verified: 'Verificada',
    unverified: 'Sin verificar',
    pending: 'Se ha enviado un código a {{email}}. La dirección cambia cuando usted lo introduzca.',
    change: 'Cambiar la dirección',
    new: 'Nueva dirección de correo electrónico',
    sendCode: 'Enviar el código',
    code: 'Código del correo',
    codeHint: 'Por ejemplo, 7F3KQ-X9D2M. Es válido durante quince minutos.',
    confirm: 'Confirmar',
    sendAgain: 'Enviar el correo de nuevo',
    sentAgain: 'El correo está en camino.',
    confirmed: 'La dirección de correo electrónico está confirmada.',
  },
  password: {
    title: 'Contraseña',
    explanation:
      'Al cambiarla se cierra la sesión en los demás navegadores. Las claves API siguen siendo válidas.',
    current: 'Contraseña actual',
    new: 'Nueva contraseña',
    rules: 'De 8 a 128 caracteres, y que no sea una contraseña común.',
    change: 'Cambiar la contraseña',
    set: 'Establecer la contraseña',
    changed: 'La contraseña se ha cambiado. Las demás sesiones se han cerrado.',
    none: 'Esta cuenta aún no tiene contraseña. Establezca una para poder volver a entrar sin enlace.',
    hasOne: 'La cuenta ya tiene una contraseña. Introdúzcala también.',
    firstNeeded: 'Si la cuenta aún no tiene ninguna, establezca una primero.',
  },
  notices: {
    title: 'Avisos',
    explanation: 'Cómo se le avisa cuando algo deja de funcionar.',
    mail: 'Por correo electrónico',
    mailState: {
      on: 'Como máximo un correo cada diez minutos y 20 al día, con todo lo que ha ocurrido.',
      no_mail_server:
        'Este servicio no tiene servidor de correo, por lo que no envía correos. Quien lo opera define SMTP_URL.',
      address_unverified: 'No se envía nada hasta que su dirección de correo esté verificada.',
    },
    lastMail: {
      sent: 'El último se envió:',
      failed: 'El último no pudo enviarse durante un día y se abandonó:',
    },
    browser: 'En este navegador',
    browserHint:
      'Como notificaciones, mientras haya una página de este panel abierta. Se aplica de inmediato.',
    browserSample: 'Las notificaciones están activadas.',
    browserState: {
      denied:
        'Las notificaciones de esta página están bloqueadas. Permítalas en los ajustes del navegador para este sitio y recargue la página.',
      unsupported:
        'Este navegador no muestra notificaciones aquí. Necesitan una dirección con https y un navegador en un ordenador.',
    },
    what: 'Avisar de',
    topics: {
      phoneOffline: 'Un teléfono con el que no hay conexión',
      phoneBack: 'Un teléfono que ha vuelto, desde hace diez minutos',
      simUnhealthy: 'Una SIM cuyos mensajes fallan',
      webhookPaused: 'Un webhook que se pausó porque su destino fallaba',
      planNearlyUsed: 'Un plan usado al 80 %',
    },
    offlineAfter: 'Sin conexión durante estos minutos',
    saved: 'Los avisos se han guardado.',
  },
  plan: {
    title: 'Plan y uso',
    today: 'Hoy',
    month: 'Este mes',
    used: '{{used, number}} de {{limit, number}} mensajes',
    unlimited: '{{used, number}} mensajes, sin límite',
    resets: 'El mes empieza de nuevo el',
  },
  sessions: {
    title: 'Sesiones iniciadas',
    explanation: 'Cierre las que no reconozca y cambie después su contraseña.',
    current: 'Este navegador',
    browserOn: '{{browser}} en {{system}}',
    unknownBrowser: 'Un programa',
    lastUsed: 'Último uso',
    method: {
      password: 'Iniciada con la contraseña',
      'sign-in-link': 'Iniciada con un enlace',
      registration: 'Iniciada al registrarse',
    },
    end: 'Cerrar la sesión',
    endOthers: 'Cerrar todas las demás sesiones',
    ended_one: 'Se ha cerrado {{count, number}} sesión.',
    ended_other: 'Se han cerrado {{count, number}} sesiones.',
  },
  export: {
    title: 'Sus datos',
    explanation:
      'Todo lo que pertenece a esta cuenta, sin secretos: un archivo de líneas JSON cuya última línea indica que está completo.',
    download: 'Descargar todo',
  },
  delete: {
    title: 'Eliminar la cuenta',
    explanation: 'Elimina la cuenta y todo lo que contiene. No se puede deshacer.',
    open: 'Eliminar la cuenta …',
    goes: 'Se elimina definitivamente:',
    what: {
      phones: 'todos los teléfonos, SIM y grupos; los mensajes en espera no se envían',
      messages: 'todos los mensajes, campañas, conversaciones y notas',
      webhooks: 'todos los webhooks y sus entregas',
      keys: 'todas las claves API, sesiones y vistas guardadas',
      usage: 'el plan, su uso y todas las estadísticas',
    },
    when: 'Las claves, sesiones, teléfonos y webhooks dejan de funcionar de inmediato. Los datos desaparecen en unos minutos. Después, la dirección se puede usar para otra cuenta.',
    submit: 'Eliminar todo',
  },
} satisfies Translation['account'];
