import { Types } from 'mongoose';
import { type ConnectionFacts, connectionOf, nextConnectionChangeAt } from './connection';
import type { ConnectionState } from '../states/connection-state';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const CREATED = ago(100_000);
const HOUR = 3_600;

const fcm: ConnectionFacts = {
  pushTransport: 'fcm',
  fcmToken: 'token',
  heartbeatEnabled: true,
  heartbeatIntervalMinutes: 30,
  lastHeartbeat: ago(60),
  lastContactAt: ago(60),
  smsSendDelaySeconds: 5,
  createdAt: CREATED,
};
const open = { id: new Types.ObjectId(), openedAt: ago(600) };
const stream: ConnectionFacts = { ...fcm, pushTransport: 'stream', fcmToken: undefined, stream: open };
const closed = (seconds: number) => ({ ...stream, stream: { ...open, closedAt: ago(seconds) } });
const untaken = (seconds: number) => ({ ...stream, stream: { ...open, untakenSince: ago(seconds) } });
const acknowledging = { ...stream, lastAcknowledgedAt: ago(600) };
const silent = { lastHeartbeat: ago(HOUR + 10), lastContactAt: ago(HOUR + 10) };
const overdue = ago(10);

type Case = [name: string, facts: ConnectionFacts, state: ConnectionState, since: Date];

const CASES: Case[] = [
  ['is online since its registration', fcm, 'online', CREATED],
  ['is online since it came back', { ...fcm, onlineSince: ago(120) }, 'online', ago(120)],
  ['is online on a stream', stream, 'online', CREATED],
  ['is offline before its first stream', { ...stream, stream: undefined }, 'offline', CREATED],

  ['without a push token is offline', { ...fcm, fcmToken: undefined }, 'offline', CREATED],
  [
    'that lost its push token is offline since then',
    { ...fcm, fcmToken: undefined, pushTokenMissingSince: ago(90) },
    'offline',
    ago(90),
  ],
  ['has a new push token', { ...fcm, pushTokenMissingSince: ago(90) }, 'online', CREATED],

  ['may reconnect within 30 s', closed(29), 'online', CREATED],
  ['may be held although nobody took messages for 29 s', untaken(29), 'online', CREATED],
  ['whose messages nobody has taken for 30 s is offline', untaken(30), 'offline', ago(30)],
  ['whose stream was closed is offline', closed(30), 'offline', ago(30)],
  ['of FCM needs no stream', { ...fcm, stream: { ...open, closedAt: ago(900) } }, 'online', CREATED],

  ['that missed two heartbeats is offline', { ...fcm, ...silent }, 'offline', overdue],
  ['that called since is online', { ...fcm, ...silent, lastContactAt: ago(9) }, 'online', CREATED],
  ['that missed them on an open stream is unresponsive', { ...stream, ...silent }, 'unresponsive', overdue],
  ['whose stream was closed before that is offline', { ...closed(60), ...silent }, 'offline', ago(60)],
  ['need not send heartbeats', { ...fcm, ...silent, heartbeatEnabled: false }, 'online', CREATED],
  [
    'that never sent a heartbeat misses none',
    { ...fcm, lastHeartbeat: undefined, lastContactAt: ago(9_999) },
    'online',
    CREATED,
  ],
  ['is measured by its own interval', { ...fcm, ...silent, heartbeatIntervalMinutes: 60 }, 'online', CREATED],

  [
    'that does not acknowledge is unresponsive',
    { ...acknowledging, unansweredSince: ago(45) },
    'unresponsive',
    ago(45),
  ],
  [
    'stays unresponsive although its heartbeats arrive',
    { ...acknowledging, unansweredSince: ago(45), lastHeartbeat: ago(5), lastContactAt: ago(5) },
    'unresponsive',
    ago(45),
  ],
  [
    'that acknowledged since is online',
    { ...acknowledging, unansweredSince: ago(45), lastAcknowledgedAt: ago(45) },
    'online',
    CREATED,
  ],
  [
    'that never acknowledged and is silent is unresponsive',
    { ...stream, unansweredSince: ago(45) },
    'unresponsive',
    ago(45),
  ],
  [
    'that never acknowledges answers with any call',
    { ...stream, unansweredSince: ago(45), lastContactAt: ago(44) },
    'online',
    CREATED,
  ],
  [
    'that never acknowledges answers with a heartbeat',
    { ...stream, unansweredSince: ago(45), lastHeartbeat: ago(44), lastContactAt: ago(44) },
    'online',
    CREATED,
  ],
  [
    'is unresponsive since the first of two causes',
    { ...acknowledging, ...silent, lastAcknowledgedAt: ago(3_000), unansweredSince: ago(2_000) },
    'unresponsive',
    ago(2_000),
  ],
  [
    'that cannot be reached is offline, whatever it does not answer',
    { ...closed(60), unansweredSince: ago(2_000) },
    'offline',
    ago(60),
  ],
];

describe('connectionOf', () => {
  it.each(CASES)('a phone %s', (_, facts, state, since) => {
    expect(connectionOf(facts, NOW)).toEqual({ state, since });
  });

  it.each(CASES)('changes only at the times that are announced: a phone %s', (_, facts) => {
    const { state } = connectionOf(facts, NOW);
    const next = nextConnectionChangeAt(facts, NOW);
    const late = new Date(NOW.getTime() + 3 * HOUR * 1_000);
    const before = next ? new Date(next.getTime() - 1) : late;
    expect(connectionOf(facts, before).state).toBe(state);
    if (next) expect(connectionOf(facts, next).state).not.toBe('online');
  });
});
