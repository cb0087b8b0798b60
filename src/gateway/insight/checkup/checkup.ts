import { DAY_MS, MINUTE_MS } from '../../../common/durations';
import type { PhoneFacts } from '../../../devices/problems/phone-facts';
import { capabilitiesOf } from '../../../devices/store/phone-capabilities';
import { missedHeartbeatsAt } from '../../../devices/store/missed-heartbeats';
import type { LoopLeg } from '../../loop-tests/loop-test.schema';
import type { RecentMessage } from './checkup.repository';
import english from './english';
import { clockOffsetOf } from './clock-offset';
import { type CheckCode, type CheckState, type FindingCode, FINDINGS } from './findings';

/** Values in the sentences of a check. */
export interface CheckFacts {
  readonly minutes?: number;
  readonly version?: string;
}

export interface Check {
  readonly code: CheckCode;
  readonly state: CheckState;
  readonly finding: FindingCode;
  /** Since when, or when it was last seen. */
  readonly since?: Date;
  readonly facts: CheckFacts;
  readonly text: string;
  readonly remedy?: string;
}

export interface CheckupFacts extends PhoneFacts {
  /** Newest first. */
  readonly recent: readonly RecentMessage[];
  /** The text of the last loop test that this phone was to receive. */
  readonly loopText?: Pick<LoopLeg, 'result' | 'reason'> & { readonly startedAt: Date };
}

/** A limit of Android that was hit longer ago does not matter any more. */
const LIMIT_HIT_MS = DAY_MS;

/** What can be known of a phone without asking it, in a fixed order. */
export function checkupOf(facts: CheckupFacts): Check[] {
  return [
    facts.device.enabled ? check('enabled') : check('disabled'),
    connectionCheck(facts),
    heartbeatCheck(facts),
    batteryCheck(facts),
    permissionCheck(facts),
    simCheck(facts),
    receivingCheck(facts),
    limitCheck(facts),
    clockCheck(facts),
    versionCheck(facts),
  ];
}

/** The worst state of checks; what is unknown does not count. */
export function stateOf(checks: readonly Check[]): Exclude<CheckState, 'unknown'> {
  const has = (state: CheckState) => checks.some((each) => each.state === state);
  if (has('error')) return 'error';
  return has('warning') ? 'warning' : 'ok';
}

function check(finding: FindingCode, since?: Date, facts: CheckFacts = {}): Check {
  const { check: code, state } = FINDINGS[finding];
  const remedies: Partial<Record<FindingCode, string>> = english.remedy;
  const remedy = remedies[finding];
  return {
    ...{ code, state, finding, facts },
    ...(since && { since }),
    text: withFacts(english.text[finding], facts),
    ...(remedy !== undefined && { remedy }),
  };
}

const withFacts = (text: string, facts: CheckFacts): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: keyof CheckFacts) => String(facts[name] ?? ''));

function connectionCheck({ device, connection, pushError }: CheckupFacts): Check {
  const { state, since } = connection;
  const { holdsStream, needsPushToken } = capabilitiesOf(device);
  if (needsPushToken && pushError) return check('push_missing', device.pushTokenMissingSince);
  if (state === 'unresponsive') return check('unresponsive', since);
  if (holdsStream) return state === 'offline' ? check('stream_closed', since) : check('stream_open', since);
  if (state === 'offline') return check('unreachable', since);
  if (needsPushToken) return check('push_ready');
  return device.usesOwnPush ? check('fetches_rarely') : check('reachable', since);
}

function heartbeatCheck({ device, now }: CheckupFacts): Check {
  const { heartbeatEnabled, heartbeatIntervalMinutes, lastHeartbeat } = device;
  if (!heartbeatEnabled) return check('heartbeat_off');
  if (!lastHeartbeat) return check('heartbeat_unknown');
  return missedHeartbeatsAt(lastHeartbeat, device) <= now
    ? check('heartbeat_missed', lastHeartbeat, { minutes: heartbeatIntervalMinutes })
    : check('heartbeat_recent', lastHeartbeat);
}

function batteryCheck({ device: { powerInfo } }: CheckupFacts): Check {
  const isExempt = powerInfo?.isIgnoringBatteryOptimizations;
  if (isExempt === undefined) return check('battery_unknown');
  return check(isExempt ? 'battery_exempt' : 'battery_optimized', powerInfo?.lastUpdated);
}

function permissionCheck({ recent }: CheckupFacts): Check {
  const refusedAt = unresolvedFailure(recent, (code) => code === 'PERMISSION_DENIED');
  if (refusedAt) return check('permission_refused', refusedAt);
  const sentAt = lastSuccess(recent);
  return sentAt ? check('permission_granted', sentAt) : check('permission_unknown');
}

function simCheck({ device, recent, sims }: CheckupFacts): Check {
  const failedAt = unresolvedFailure(recent, (code) => code === 'SIM_NOT_FOUND');
  if (failedAt) return check('sim_not_found', failedAt);
  if (sims.length > 0) return check('sim_present');
  if (device.simInfo) return check('sim_missing', device.simInfo.lastUpdated);
  return check('sim_unknown');
}

function receivingCheck({ device, recent, loopText }: CheckupFacts): Check {
  if (!device.receiveSMSEnabled) return check('receiving_off', device.lastIgnoredSmsAt);
  if (loopText?.result === 'lost' && loopText.reason === 'not_received')
    return check('loop_test_lost', loopText.startedAt);
  const last = recent.find(({ direction }) => direction === 'received');
  return last ? check('receiving', last.createdAt) : check('receiving_unproven');
}

/** 5: `RESULT_ERROR_LIMIT_EXCEEDED` of Android's `SmsManager`; some apps report its name. */
function limitCheck({ recent, now }: CheckupFacts): Check {
  const hit = recent.find(
    ({ status, errorCode }) =>
      status === 'failed' && (errorCode === '5' || errorCode?.endsWith('LIMIT_EXCEEDED')),
  );
  const at = hit && knownAt(hit);
  return at && now.getTime() - at.getTime() < LIMIT_HIT_MS ? check('limit_hit', at) : check('limit_not_hit');
}

function clockCheck({ recent }: CheckupFacts): Check {
  for (const message of recent) {
    const offset = clockOffsetOf(message);
    if (offset === undefined) continue;
    if (offset === 0) return check('clock_right');
    const minutes = Math.floor(Math.abs(offset) / MINUTE_MS);
    return check(offset > 0 ? 'clock_ahead' : 'clock_behind', message.createdAt, { minutes });
  }
  return check('clock_unknown');
}

function versionCheck({ device: { appVersionName, appVersionInfo } }: CheckupFacts): Check {
  const version = appVersionInfo?.versionName ?? appVersionName;
  return version ? check('version_known', undefined, { version }) : check('version_unknown');
}

/** When the service knew what became of a message. */
const knownAt = ({ failedAt, settledAt, createdAt }: RecentMessage): Date =>
  settledAt ?? failedAt ?? createdAt;

const isSuccess = ({ status }: RecentMessage): boolean => status === 'sent' || status === 'delivered';

/** When the service knew that the phone had sent a message, of the newest that it sent. */
const lastSuccess = (recent: readonly RecentMessage[]): Date | undefined => {
  const sent = recent.find(isSuccess);
  return sent && knownAt(sent);
};

/** When the newest message failed by a code, if no newer one was sent. */
function unresolvedFailure(
  recent: readonly RecentMessage[],
  isMeant: (code: string) => boolean,
): Date | undefined {
  const failed = recent.find(
    ({ status, errorCode }) => status === 'failed' && errorCode !== undefined && isMeant(errorCode),
  );
  if (!failed) return undefined;
  const failedAt = knownAt(failed);
  const sentAt = lastSuccess(recent);
  return sentAt && sentAt > failedAt ? undefined : failedAt;
}
