import type { Translation } from '../en';

export default {
  title: 'Prueba de ida y vuelta',
  description: 'Un texto de cada una de dos SIM a la otra muestra que ambas envían y reciben.',
  run: 'Probar ahora',
  emptyTitle: 'Hacen falta dos SIM',
  emptyText: 'La prueba envía textos de una SIM a la otra. Vincule otro teléfono o ponga una segunda SIM.',
  toPhones: 'Ir a los teléfonos',
  result: 'Última prueba',
  never: 'Aún no se ha probado. Elija dos SIM, guarde y pruebe.',
  started: 'Iniciada',
  to: 'a',
  seconds: 'Llegó en {{seconds, number}} s',
  results: { waiting: 'En camino', lost: 'No llegó', not_sent: 'No enviado' },
  waitingText: 'Un texto que no llega en diez minutos se da por perdido.',
  reasons: {
    refused: 'El servicio rechazó el envío:',
    not_handed_over:
      'Aún espera a su teléfono o SIM. Compruebe que el teléfono está conectado y que la SIM puede enviar.',
    failed: 'El teléfono comunicó un fallo. Compruebe el saldo y la cobertura de la SIM.',
    not_reported: 'El teléfono lo tiene, pero no comunicó que lo envió. Abra la aplicación en el teléfono.',
    receiving_off: 'La recepción está desactivada en el otro teléfono. Actívela en su aplicación.',
    receiver_offline:
      'No hay conexión con el otro teléfono, así que no pudo entregar el texto. Compruebe que está encendido y tiene internet.',
    not_received:
      'Se envió y la recepción está activada, pero no llegó nada. Los chats RCS se tragan los textos antes de que otra aplicación los vea: desactívelos en la aplicación de mensajes de ambos teléfonos. Compruebe después que la aplicación puede leer SMS y que el número es correcto.',
  },
  message: 'Ver el mensaje',
  settings: 'Qué SIM',
  counted:
    'Cada prueba envía dos mensajes. Están marcados y cuentan para el plan y los límites de las SIM como todos los mensajes.',
  first: 'Primera SIM',
  second: 'Segunda SIM',
  sim: 'SIM',
  number: 'Su número',
  numberHint: 'Con el prefijo del país, como +34600123456. Se guarda con la SIM.',
  nightly: 'Probar cada noche',
  nightlyHint: 'Un texto que no llega es un problema en el resumen.',
  hour: 'A las',
  next: 'La próxima prueba es',
  saved: 'La prueba de ida y vuelta se ha guardado.',
} satisfies Translation['loopTest'];
