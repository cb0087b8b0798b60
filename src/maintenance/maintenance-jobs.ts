/** The jobs of maintenance. A job is due when its lease is free. */
export const MAINTENANCE_JOBS = [
  'rollups',
  'message-retention',
  'delivery-retention',
  'contact-recovery',
] as const;
export type MaintenanceJobName = (typeof MAINTENANCE_JOBS)[number];
