const LIMIT_REASONS = [
  'parts_per_minute',
  'messages_per_hour',
  'messages_per_day',
  'messages_per_month',
  'recipients_per_month',
] as const;

const SIM_REASONS = ['sim_disabled', 'sim_absent'] as const;

/** No SIM of a pool can take the message. */
const POOL_REASONS = ['sim_unhealthy', 'phone_unreachable', 'no_sim_for_country', 'pool_empty'] as const;

/** The phone takes its messages by itself. */
const PHONE_REASONS = ['phone_fetch'] as const;

const BATCH_REASONS = ['quiet_hours', 'paused'] as const;

/** Why a message waits on the server: for a limit, for a SIM or its phone, or as the caller asked. */
export const WAIT_REASONS = [
  ...LIMIT_REASONS,
  ...SIM_REASONS,
  ...POOL_REASONS,
  ...PHONE_REASONS,
  ...BATCH_REASONS,
] as const;

export type LimitReason = (typeof LIMIT_REASONS)[number];

/** The limits that reset with a period, by the reason of what waits for them. */
export const PERIOD_LIMITS = {
  messages_per_hour: 'messagesPerHour',
  messages_per_day: 'messagesPerDay',
  messages_per_month: 'messagesPerMonth',
  recipients_per_month: 'recipientsPerMonth',
} as const satisfies Record<Exclude<LimitReason, 'parts_per_minute'>, string>;
export type PeriodLimit = (typeof PERIOD_LIMITS)[keyof typeof PERIOD_LIMITS];

export type SimReason = (typeof SIM_REASONS)[number];
export type PoolReason = (typeof POOL_REASONS)[number];
export type WaitReason = (typeof WAIT_REASONS)[number];
