import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { countStates, forecastBatch, isLeaving, type WaitingTally } from './batch-forecast';

const NOW = new Date('2026-03-01T12:00:00Z');
const MINUTE = 60_000;
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

const PHONE = { _id: new Types.ObjectId(), smsSendDelaySeconds: 6 } as Device;
const waiting = (fields: Partial<WaitingTally> = {}): WaitingTally => ({
  status: 'pending',
  count: 10,
  device: PHONE._id,
  firstDueAt: NOW,
  lastDueAt: NOW,
  ...fields,
});
const forecast = (tallies: WaitingTally[], message = 'Hello') =>
  forecastBatch({ message }, tallies, { devices: [PHONE], sims: [] }, NOW);

describe('the progress of a batch', () => {
  it('counts messages by state', () => {
    const tallies = [
      { status: 'sent' as const, count: 2 },
      { status: 'sent' as const, count: 3 },
      { status: 'failed' as const, count: 1 },
      { count: 1 },
    ];
    expect(countStates(tallies)).toEqual({
      pending: 0,
      dispatched: 0,
      sent: 5,
      delivered: 0,
      failed: 1,
      unknown: 1,
    });
  });

  it('is expected to end at the pace of the phone', () => {
    expect(forecast([waiting()])).toEqual(inMinutes(1));
    expect(forecast([waiting({ count: 4 }), waiting({ count: 6 })])).toEqual(inMinutes(1));
    expect(forecast([waiting()], 'a'.repeat(161 * 3))).toEqual(new Date(NOW.getTime() + 10 * 4 * 2_500));
  });

  it('does not end before its last wave and what is held back are due', () => {
    expect(forecast([waiting({ firstDueAt: inMinutes(30), lastDueAt: inMinutes(30) })])).toEqual(
      inMinutes(31),
    );
    expect(forecast([waiting({ lastDueAt: inMinutes(90) })])).toEqual(inMinutes(90));
    expect(forecast([waiting({ until: inMinutes(600) }), waiting()])).toEqual(inMinutes(600));
  });

  it('has no time while messages wait for an event only, or none waits', () => {
    expect(isLeaving(waiting({ reason: 'paused' }))).toBe(false);
    expect(isLeaving(waiting({ reason: 'messages_per_day', until: NOW }))).toBe(true);
    expect(isLeaving({ ...waiting(), status: 'sent' })).toBe(false);
    expect(forecast([])).toBeUndefined();
  });
});
