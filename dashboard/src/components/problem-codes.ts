const OF_PHONES = [
  'push_not_set_up',
  'phone_offline',
  'phone_unresponsive',
  'phone_fetches_rarely',
  'phone_disabled',
  'incoming_messages_ignored',
  'battery_optimization_on',
  'battery_low',
  'sim_unhealthy',
  'sim_limit_reached',
  'sim_limit_near',
  'phone_drained',
] as const;

const KNOWN = [
  ...OF_PHONES,
  'no_phone',
  'no_enabled_phone',
  'pool_unusable',
  'pool_paused',
  'loop_test_failed',
  'webhook_failing',
  'webhook_filter_outdated',
  'webhook_paused',
  'email_unverified',
  'plan_nearly_used',
  'plan_used_up',
] as const;

/** Whether the catalogue has the text of a phone's problem. */
export const isOfPhone = (code: string): code is (typeof OF_PHONES)[number] =>
  OF_PHONES.some((each) => each === code);

/** Whether the catalogue has the texts of a problem. */
export const isKnown = (code: string): code is (typeof KNOWN)[number] => KNOWN.some((each) => each === code);
