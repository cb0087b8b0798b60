import type { RecentMessage } from './checkup.repository';
import { clockOffsetOf } from './clock-offset';

const NOW = Date.UTC(2026, 0, 31, 12);
const at = (seconds: number) => new Date(NOW + seconds * 1_000);
const MINUTE = 60_000;

/** Handed over at 0 s, known to be sent at 10 s. */
const sent = (sentAt: Date, fields: Partial<RecentMessage> = {}): RecentMessage => ({
  direction: 'sent',
  status: 'sent',
  createdAt: at(-5),
  dispatchedAt: at(0),
  settledAt: at(10),
  sentAt,
  isTimeReplaced: false,
  ...fields,
});
const received = (receivedAt: Date, fields: Partial<RecentMessage> = {}): RecentMessage => ({
  direction: 'received',
  status: 'received',
  createdAt: at(0),
  receivedAt,
  isTimeReplaced: false,
  ...fields,
});

describe('clockOffsetOf', () => {
  it.each<[string, RecentMessage, number | undefined]>([
    ['sent between hand-over and report', sent(at(4)), 0],
    ['a minute before the hand-over', sent(at(-60)), 0],
    ['more than a minute before it', sent(at(-61)), -61_000],
    ['a minute after the report', sent(at(70)), 0],
    ['more than a minute after it', sent(at(71)), 61_000],
    // The report came late: the clock may be right.
    ['reported hours later', sent(at(3_600), { settledAt: at(7_200) }), 0],
    ['never handed over', sent(at(4), { dispatchedAt: undefined }), undefined],
    ['without a time', { ...sent(at(0)), sentAt: undefined }, undefined],
    ['received after its upload', received(at(120)), 2 * MINUTE],
    // An upload may be late, so that nothing is known.
    ['received before its upload', received(at(-3_600)), undefined],
    ['received at a time that the service replaced', received(at(120), { isTimeReplaced: true }), undefined],
  ])('of a message %s', (_, message, offset) => {
    expect(clockOffsetOf(message)).toBe(offset);
  });
});
