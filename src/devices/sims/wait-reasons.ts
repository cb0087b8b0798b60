const LIMIT_REASONS = [
  'parts_per_minute',
  'messages_per_hour',
  'messages_per_day',
  'messages_per_month',
  'recipients_per_month',
] as const;

const SIM_REASONS = ['sim_disabled', 'sim_absent'] as const;

/** Why a message waits on the server: for a limit, or for its SIM. */
export const WAIT_REASONS = [...LIMIT_REASONS, ...SIM_REASONS] as const;

export type LimitReason = (typeof LIMIT_REASONS)[number];
export type SimReason = (typeof SIM_REASONS)[number];
export type WaitReason = LimitReason | SimReason;
