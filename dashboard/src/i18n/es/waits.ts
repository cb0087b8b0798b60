import type { Translation } from '../en';

export default {
  parts_per_minute: 'Ritmo de la SIM o de Android',
  messages_per_hour: 'La SIM ha alcanzado su límite por hora',
  messages_per_day: 'La SIM ha alcanzado su límite diario',
  messages_per_month: 'La SIM ha alcanzado su límite mensual',
  recipients_per_month: 'La SIM ha alcanzado su límite mensual de destinatarios',
  sim_disabled: 'La SIM está desactivada',
  sim_absent: 'La SIM no está en el teléfono',
  sim_unhealthy: 'Fallan demasiados mensajes en las SIM del grupo',
  phone_unreachable: 'No se puede contactar con ningún teléfono que pueda enviar',
  phone_fetch: 'El teléfono aún no los ha recogido',
  no_sim_for_country: 'Ninguna SIM del grupo puede enviar a este país',
  pool_empty: 'El grupo no tiene ninguna SIM',
  quiet_hours: 'Horas de silencio donde está el destinatario',
  paused: 'La campaña está en pausa',
} satisfies Translation['waits'];
