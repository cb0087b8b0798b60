import { Types } from 'mongoose';
import { type SimLimits, SimRecord } from '../../../devices/sims/schemas/sim.schema';
import { forecastQueue as steps, type ShareOfQueue } from './queue-forecast';

const NOW = Date.parse('2026-03-01T12:30:00Z');
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

function forecastQueue<Share extends ShareOfQueue>(
  shares: readonly Share[],
  now: number,
): Map<Share, number> {
  const running = steps(shares, now);
  for (let step = running.next(); ; step = running.next()) if (step.done) return step.value;
}

const phone = (fields: Partial<ShareOfQueue['device']> = {}) => ({
  _id: new Types.ObjectId(),
  smsSendDelaySeconds: 10,
  ...fields,
});
const simOf = (limits: SimLimits): SimRecord =>
  Object.assign(new SimRecord(), { _id: new Types.ObjectId(), user: new Types.ObjectId(), limits });
const messages = (count: number, { dueAt = NOW, parts = 1 } = {}) =>
  Array.from({ length: count }, (_, index) => ({ dueAt, parts, recipient: String(index) }));

describe('the end of the queue', () => {
  it('follows from the pace of the phone', () => {
    const share = { device: phone(), leaving: messages(6) };
    expect(forecastQueue([share], NOW).get(share)).toBe(NOW + 60 * SECOND);
    // 24 parts a minute are slower than the delay between messages.
    const long = { device: phone({ smsSendDelaySeconds: 1 }), leaving: messages(2, { parts: 4 }) };
    expect(forecastQueue([long], NOW).get(long)).toBe(NOW + 20 * SECOND);
  });

  it('starts after what the phone was handed before', () => {
    const share = { device: phone({ pacedUntil: NOW + HOUR }), leaving: messages(1) };
    expect(forecastQueue([share], NOW).get(share)).toBe(NOW + HOUR + 10 * SECOND);
  });

  it('counts the parts that a phone has booked once', () => {
    const booked = [1, 2].map((slot) => ({
      dueAt: NOW + slot * 10 * SECOND,
      parts: 1,
      recipient: '',
      isBooked: true,
    }));
    const device = phone({ pacedUntil: NOW + 30 * SECOND });
    const share = { device, leaving: booked };
    expect(forecastQueue([share], NOW).get(share)).toBe(NOW + 30 * SECOND);
    const withNew = { device, leaving: [...booked, ...messages(1)] };
    expect(forecastQueue([withNew], NOW).get(withNew)).toBe(NOW + 40 * SECOND);
  });

  it('waits for what is due later, and takes the time of a large send from then on', () => {
    const leaving = [...messages(1), ...messages(360, { dueAt: NOW + HOUR })];
    const share = { device: phone(), leaving };
    expect(forecastQueue([share], NOW).get(share)).toBe(NOW + 2 * HOUR);
  });

  it('shares the pace of a phone between its SIMs, except those with a pace of their own', () => {
    const device = phone();
    const [one, other] = [simOf({}), simOf({})].map((sim) => ({ device, sim, leaving: messages(3) }));
    const own = { device, sim: simOf({ partsPerMinute: 60 }), leaving: messages(3) };
    if (!one || !other) throw new Error('There are two SIMs');
    const ends = forecastQueue([one, other, own], NOW);
    expect(Math.max(ends.get(one) ?? 0, ends.get(other) ?? 0)).toBe(NOW + 60 * SECOND);
    expect(ends.get(own)).toBe(NOW + 30 * SECOND);
  });

  it('is the day on which the limits of the SIM leave room for the last message', () => {
    const share = { device: phone(), sim: simOf({ messagesPerDay: 2 }), leaving: messages(5) };
    expect(forecastQueue([share], NOW).get(share)).toBe(Date.parse('2026-03-03T00:00:10Z'));
  });

  it('is not known if nothing leaves, or the limits spread the messages over too many periods', () => {
    const empty = { device: phone(), leaving: [] };
    const endless = { device: phone(), sim: simOf({ messagesPerHour: 1 }), leaving: messages(5_000) };
    expect(forecastQueue([empty, endless], NOW).size).toBe(0);
    const long = { device: phone(), sim: simOf({ messagesPerHour: 10 }), leaving: messages(5_000) };
    expect(forecastQueue([long], NOW).get(long)).toBe(
      NOW + 499 * HOUR + 70 * SECOND - HOUR / 2 + 30 * SECOND,
    );
  });
});
