import { Types } from 'mongoose';
import type { ConnectionFacts } from './connection';
import { changesOf, mergeObservations, observeCall } from './phone-calls';

const NOW = new Date('2026-01-31T12:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const later = (seconds: number) => ago(-seconds);

const phone: ConnectionFacts = {
  pushTransport: 'stream',
  stream: { id: new Types.ObjectId(), openedAt: ago(600) },
  heartbeatEnabled: true,
  heartbeatIntervalMinutes: 30,
  lastHeartbeat: ago(60),
  lastContactAt: ago(60),
  smsSendDelaySeconds: 5,
  createdAt: ago(9_000),
};
const acknowledging = { ...phone, lastAcknowledgedAt: ago(60) };
const silent = { lastHeartbeat: ago(9_000), lastContactAt: ago(9_000) };
const call = observeCall('call', NOW);
const report = observeCall('report', NOW);
const acknowledgement = observeCall('acknowledgement', NOW);

describe('changesOf', () => {
  it.each([
    ['a call', phone, call, { lastContactAt: NOW }],
    ['the first acknowledgement', phone, acknowledgement, { lastContactAt: NOW, lastAcknowledgedAt: NOW }],
    ['the report of an app that never acknowledges', phone, report, { lastContactAt: NOW }],
    [
      'the report of an app that acknowledges',
      acknowledging,
      report,
      { lastContactAt: NOW, lastAcknowledgedAt: NOW },
    ],
    ['a call after silence', { ...phone, ...silent }, call, { lastContactAt: NOW, onlineSince: NOW }],
    [
      'a call that answers nothing',
      { ...acknowledging, unansweredSince: ago(50) },
      call,
      { lastContactAt: NOW },
    ],
    [
      'an answer of an unresponsive phone',
      { ...acknowledging, unansweredSince: ago(50) },
      acknowledgement,
      { lastContactAt: NOW, lastAcknowledgedAt: NOW, onlineSince: NOW },
    ],
  ])('stores %s', (_, facts, observation, latest) => {
    expect(changesOf(facts, observation).latest).toEqual(latest);
  });

  it('requests a check when the phone comes back, and 30 s after a hand-over', () => {
    expect(changesOf(phone, call).checkAt).toBeUndefined();
    expect(changesOf({ ...phone, ...silent }, call).checkAt).toEqual(NOW);
    expect(changesOf(phone, { handedOverAt: ago(10) })).toEqual({ latest: {}, checkAt: later(20) });
  });
});

describe('mergeObservations', () => {
  it('keeps the last calls and the first hand-over, in any order', () => {
    const observations = [
      observeCall('acknowledgement', ago(9)),
      { handedOverAt: ago(8) },
      observeCall('report', ago(7)),
      { handedOverAt: ago(6) },
      observeCall('call', ago(5)),
    ];
    const expected = {
      calledAt: ago(5),
      answeredAt: ago(7),
      acknowledgedAt: ago(9),
      handedOverAt: ago(8),
    };
    const merge = (all: typeof observations) => all.slice(1).reduce(mergeObservations, all[0] ?? {});
    expect(merge(observations)).toEqual(expected);
    expect(merge(observations.toReversed())).toEqual(expected);
  });
});
