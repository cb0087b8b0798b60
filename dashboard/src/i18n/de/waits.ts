import type { Translation } from '../en';

export default {
  parts_per_minute: 'Tempo der SIM oder von Android',
  messages_per_hour: 'Die SIM hat ihr Stundenlimit erreicht',
  messages_per_day: 'Die SIM hat ihr Tageslimit erreicht',
  messages_per_month: 'Die SIM hat ihr Monatslimit erreicht',
  recipients_per_month: 'Die SIM hat ihr Monatslimit an Empfängern erreicht',
  sim_disabled: 'Die SIM ist deaktiviert',
  sim_absent: 'Die SIM steckt nicht im Telefon',
  sim_unhealthy: 'Auf den SIMs des Pools schlagen zu viele Nachrichten fehl',
  phone_unreachable: 'Kein Telefon, das senden darf, ist erreichbar',
  phone_fetch: 'Das Telefon hat sie noch nicht abgeholt',
  no_sim_for_country: 'Keine SIM des Pools darf in dieses Land senden',
  pool_empty: 'Der Pool hat keine SIMs',
  quiet_hours: 'Ruhezeit beim Empfänger',
  paused: 'Die Kampagne ist angehalten',
} satisfies Translation['waits'];
