import type { Translation } from '../en';

export default {
  title: 'Warteschlange',
  nothing: 'Auf dem Server warten keine Nachrichten für dieses Telefon.',
  empty: 'Nichts wartet',
  waiting_one: '{{count, number}} wartet',
  waiting_other: '{{count, number}} warten',
  sim: 'SIM',
  messages: 'Nachrichten',
  parts: 'Teile',
  endsAt: 'Gesendet bis',
  phoneChooses: 'Das Telefon wählt',
  unknownEnd: 'Nicht bekannt',
  heldBack: '{{count, number}} zurückgehalten: {{reason}}',
} satisfies Translation['queue'];
