import type { Translation } from '../en';

export default {
  title: 'Cola',
  nothing: 'Ningún mensaje espera en el servidor a este teléfono.',
  empty: 'Nada en espera',
  waiting_one: '{{count, number}} en espera',
  waiting_other: '{{count, number}} en espera',
  sim: 'SIM',
  messages: 'Mensajes',
  parts: 'Partes',
  endsAt: 'Enviados hasta',
  phoneChooses: 'Elige el teléfono',
  unknownEnd: 'Se desconoce',
  heldBack: '{{count, number}} retenidos: {{reason}}',
} satisfies Translation['queue'];
