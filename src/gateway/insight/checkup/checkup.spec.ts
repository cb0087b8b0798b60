import { Types } from 'mongoose';
import type { Device } from '../../../devices/store/device.schema';
import { PUSH_TRANSPORTS } from '../../../common/push-transports';
import { FirebaseNotConfigured } from '../../../devices/store/devices.errors';
import type { CheckupFacts } from './checkup';
import { checkupOf, stateOf } from './checkup';
import type { RecentMessage } from './checkup.repository';
import english from './english';
import { CHECK_CODES, type CheckCode, FINDING_CODES, type FindingCode, FINDINGS } from './findings';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000);

const DEVICE = {
  _id: new Types.ObjectId(),
  enabled: true,
  pushTransport: 'stream',
  heartbeatEnabled: true,
  heartbeatIntervalMinutes: 15,
  lastHeartbeat: ago(5),
  receiveSMSEnabled: true,
} as Device;

const found = new Set<FindingCode>();

function checksOf(fields: Partial<Device> = {}, facts: Partial<CheckupFacts> = {}) {
  const checks = checkupOf({
    now: NOW,
    device: Object.assign({}, DEVICE, fields),
    connection: { state: 'online', since: ago(60) },
    pushError: undefined,
    sims: [],
    recent: [],
    ...facts,
  });
  for (const { finding } of checks) found.add(finding);
  return checks;
}

function findingOf(code: CheckCode, fields: Partial<Device> = {}, facts: Partial<CheckupFacts> = {}) {
  return checksOf(fields, facts).find((check) => check.code === code);
}

const message = (fields: Partial<RecentMessage>): RecentMessage => ({
  direction: 'sent',
  createdAt: ago(10),
  isTimeReplaced: false,
  ...fields,
});
const failed = (errorCode: string, minutes: number) =>
  message({ status: 'failed', errorCode, settledAt: ago(minutes), failedAt: ago(minutes) });
const sent = (minutes: number) => message({ status: 'sent', settledAt: ago(minutes), sentAt: ago(minutes) });

describe('a checkup', () => {
  it('has each check once, in the same order', () => {
    for (const pushTransport of PUSH_TRANSPORTS)
      expect(checksOf({ pushTransport }).map(({ code }) => code)).toEqual([...CHECK_CODES]);
  });

  it.each<[CheckCode, FindingCode, Partial<Device>, Partial<CheckupFacts>?]>([
    ['enabled', 'enabled', {}],
    ['enabled', 'disabled', { enabled: false }],
    ['connection', 'stream_open', {}],
    ['connection', 'stream_closed', {}, { connection: { state: 'offline', since: ago(3) } }],
    ['connection', 'unresponsive', {}, { connection: { state: 'unresponsive', since: ago(3) } }],
    ['connection', 'reachable', { pushTransport: 'wake' }],
    ['connection', 'fetches_rarely', { pushTransport: 'wake', usesOwnPush: true }],
    ['connection', 'push_ready', { pushTransport: 'fcm' }],
    ['connection', 'push_missing', { pushTransport: 'fcm' }, { pushError: new FirebaseNotConfigured() }],
    [
      'connection',
      'unreachable',
      { pushTransport: 'fcm' },
      { connection: { state: 'offline', since: ago(40) } },
    ],
    ['heartbeat', 'heartbeat_recent', {}],
    ['heartbeat', 'heartbeat_recent', { lastHeartbeat: ago(29) }],
    // Other calls do not replace it.
    ['heartbeat', 'heartbeat_missed', { lastHeartbeat: ago(30), lastContactAt: ago(1) }],
    ['heartbeat', 'heartbeat_unknown', { lastHeartbeat: undefined }],
    ['heartbeat', 'heartbeat_off', { heartbeatEnabled: false }],
    ['battery_exemption', 'battery_exempt', { powerInfo: { isIgnoringBatteryOptimizations: true } }],
    ['battery_exemption', 'battery_optimized', { powerInfo: { isIgnoringBatteryOptimizations: false } }],
    ['battery_exemption', 'battery_unknown', { powerInfo: { isPowerSaveMode: true } }],
    ['sms_permission', 'permission_unknown', {}],
    ['sms_permission', 'permission_granted', {}, { recent: [sent(5), failed('PERMISSION_DENIED', 20)] }],
    ['sms_permission', 'permission_refused', {}, { recent: [failed('PERMISSION_DENIED', 5), sent(20)] }],
    // Accepted later, but sent before.
    ['sms_permission', 'permission_refused', {}, { recent: [sent(20), failed('PERMISSION_DENIED', 5)] }],
    ['sms_permission', 'permission_unknown', {}, { recent: [failed('4', 5)] }],
    ['sim', 'sim_unknown', {}],
    ['sim', 'sim_missing', { simInfo: { lastUpdated: ago(5), sims: [] } }],
    ['sim', 'sim_not_found', {}, { recent: [failed('SIM_NOT_FOUND', 5)] }],
    ['sim', 'sim_present', {}, { sims: [{}] as unknown as CheckupFacts['sims'] }],
    ['receiving', 'receiving_off', { receiveSMSEnabled: false }],
    [
      'receiving',
      'loop_test_lost',
      {},
      { loopText: { result: 'lost', reason: 'not_received', startedAt: ago(20) } },
    ],
    // Its own phone did not send it.
    [
      'receiving',
      'receiving_unproven',
      {},
      { loopText: { result: 'lost', reason: 'failed', startedAt: ago(20) } },
    ],
    ['receiving', 'receiving_unproven', {}, { recent: [sent(5)] }],
    ['receiving', 'receiving', {}, { recent: [message({ direction: 'received', status: 'received' })] }],
    ['android_limit', 'limit_not_hit', {}],
    ['android_limit', 'limit_hit', {}, { recent: [sent(1), failed('5', 60)] }],
    ['android_limit', 'limit_hit', {}, { recent: [failed('RESULT_ERROR_LIMIT_EXCEEDED', 60)] }],
    ['android_limit', 'limit_not_hit', {}, { recent: [failed('5', 25 * 60)] }],
    ['clock', 'clock_unknown', {}, { recent: [message({ status: 'pending' })] }],
    ['clock', 'clock_right', {}, { recent: [message({ ...sent(5), dispatchedAt: ago(6) })] }],
    [
      'clock',
      'clock_ahead',
      {},
      { recent: [message({ ...sent(9), sentAt: ago(3), dispatchedAt: ago(10) })] },
    ],
    [
      'clock',
      'clock_behind',
      {},
      { recent: [message({ ...sent(5), sentAt: ago(20), dispatchedAt: ago(6) })] },
    ],
    ['app_version', 'version_known', { appVersionName: '2.7.1' }],
    ['app_version', 'version_unknown', {}],
  ])('of %s finds %s', (code, finding, fields, facts = {}) => {
    expect(findingOf(code, fields, facts)?.finding).toBe(finding);
  });

  it('says by how much, since when, and what to do', () => {
    const clock = findingOf(
      'clock',
      {},
      {
        recent: [message({ ...sent(5), sentAt: ago(20), dispatchedAt: ago(6) })],
      },
    );
    expect(clock).toMatchObject({
      facts: { minutes: 14 },
      text: 'Its clock is at least 14 minutes behind: times of its messages are wrong.',
      remedy: english.remedy.clock_behind,
    });
    expect(findingOf('app_version', { appVersionInfo: { versionName: '1.68.0' } })?.text).toBe(
      'The app has version 1.68.0.',
    );
    const stream = findingOf('connection', {}, { connection: { state: 'offline', since: ago(3) } });
    expect(stream?.since).toEqual(ago(3));
  });

  it('is as bad as its worst check; what is unknown does not count', () => {
    expect(stateOf(checksOf())).toBe('ok');
    expect(stateOf(checksOf({ heartbeatEnabled: false }))).toBe('warning');
    expect(stateOf(checksOf({ heartbeatEnabled: false, enabled: false }))).toBe('error');
  });

  it('has a remedy for everything but what is as it should be', () => {
    const withRemedy = FINDING_CODES.filter((code) => code in english.remedy);
    expect(withRemedy).toEqual(FINDING_CODES.filter((code) => FINDINGS[code].state !== 'ok'));
  });

  it('is tested for every finding', () => {
    expect(FINDING_CODES.filter((code) => !found.has(code))).toEqual([]);
  });
});
