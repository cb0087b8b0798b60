export const CHECK_STATES = ['ok', 'warning', 'error', 'unknown'] as const;
export type CheckState = (typeof CHECK_STATES)[number];

/** What is checked, in the order in which it is shown. */
export const CHECK_CODES = [
  'enabled',
  'connection',
  'heartbeat',
  'battery_exemption',
  'sms_permission',
  'sim',
  'receiving',
  'android_limit',
  'clock',
  'app_version',
] as const;
export type CheckCode = (typeof CHECK_CODES)[number];

interface Finding {
  readonly check: CheckCode;
  readonly state: CheckState;
}

/** What a check can find. Stable: programs may compare the names; their sentences, in `english.ts`, may change. */
export const FINDINGS = {
  enabled: { check: 'enabled', state: 'ok' },
  disabled: { check: 'enabled', state: 'error' },
  stream_open: { check: 'connection', state: 'ok' },
  stream_closed: { check: 'connection', state: 'error' },
  push_ready: { check: 'connection', state: 'ok' },
  push_missing: { check: 'connection', state: 'error' },
  reachable: { check: 'connection', state: 'ok' },
  fetches_rarely: { check: 'connection', state: 'warning' },
  unreachable: { check: 'connection', state: 'error' },
  unresponsive: { check: 'connection', state: 'error' },
  heartbeat_recent: { check: 'heartbeat', state: 'ok' },
  heartbeat_missed: { check: 'heartbeat', state: 'error' },
  heartbeat_off: { check: 'heartbeat', state: 'warning' },
  heartbeat_unknown: { check: 'heartbeat', state: 'unknown' },
  battery_exempt: { check: 'battery_exemption', state: 'ok' },
  battery_optimized: { check: 'battery_exemption', state: 'warning' },
  battery_unknown: { check: 'battery_exemption', state: 'unknown' },
  permission_granted: { check: 'sms_permission', state: 'ok' },
  permission_refused: { check: 'sms_permission', state: 'error' },
  permission_unknown: { check: 'sms_permission', state: 'unknown' },
  sim_present: { check: 'sim', state: 'ok' },
  sim_missing: { check: 'sim', state: 'error' },
  sim_not_found: { check: 'sim', state: 'error' },
  sim_unknown: { check: 'sim', state: 'unknown' },
  receiving: { check: 'receiving', state: 'ok' },
  receiving_off: { check: 'receiving', state: 'warning' },
  loop_test_lost: { check: 'receiving', state: 'warning' },
  receiving_unproven: { check: 'receiving', state: 'unknown' },
  limit_not_hit: { check: 'android_limit', state: 'ok' },
  limit_hit: { check: 'android_limit', state: 'warning' },
  clock_right: { check: 'clock', state: 'ok' },
  clock_ahead: { check: 'clock', state: 'warning' },
  clock_behind: { check: 'clock', state: 'warning' },
  clock_unknown: { check: 'clock', state: 'unknown' },
  version_known: { check: 'app_version', state: 'ok' },
  version_unknown: { check: 'app_version', state: 'unknown' },
} as const satisfies Record<string, Finding>;
export type FindingCode = keyof typeof FINDINGS;

export const FINDING_CODES = Object.keys(FINDINGS) as readonly FindingCode[];
