import { Types } from 'mongoose';
import { SimRecord, type SimLimits } from '../../devices/sims/sim.schema';
import { forecastHeld } from './held-forecast';

const NOW = Date.parse('2026-03-01T12:30:00Z');
const at = (iso: string) => Date.parse(iso);
const simOf = (limits: SimLimits): SimRecord =>
  Object.assign(new SimRecord(), { _id: new Types.ObjectId(), user: new Types.ObjectId(), limits });
const messages = (count: number, dueAt = NOW) =>
  Array.from({ length: count }, (_, index) => ({ dueAt, recipient: String(index) }));
const forecast = (limits: SimLimits, sent: ReturnType<typeof messages>) =>
  [...forecastHeld(simOf(limits), undefined, sent, NOW).values()].map(({ reason, until }) => [reason, until]);

describe('what the limits of a SIM hold back', () => {
  it('is nothing within the limits, whatever the pace', () => {
    expect(forecast({ messagesPerDay: 10, partsPerMinute: 1 }, messages(10))).toEqual([]);
    expect(forecast({}, messages(10))).toEqual([]);
  });

  it('leaves period by period', () => {
    const day = (date: string) => ['messages_per_day', at(`2026-03-0${date}T00:00:00Z`)];
    expect(forecast({ messagesPerDay: 2 }, messages(7))).toEqual([
      day('2'),
      day('2'),
      day('3'),
      day('3'),
      day('4'),
    ]);
  });

  it('waits for the limit that ends last', () => {
    expect(forecast({ messagesPerHour: 2, messagesPerDay: 3 }, messages(4))).toEqual([
      ['messages_per_hour', at('2026-03-01T13:00:00Z')],
      ['messages_per_day', at('2026-03-02T00:00:00Z')],
    ]);
  });

  it('counts messages for the day on which they are due', () => {
    const tomorrow = at('2026-03-02T08:00:00Z');
    expect(forecast({ messagesPerDay: 2 }, [...messages(2), ...messages(2, tomorrow)])).toEqual([]);
    expect(forecast({ messagesPerDay: 2 }, [...messages(3), ...messages(2, tomorrow)])).toEqual([
      ['messages_per_day', at('2026-03-02T00:00:00Z')],
      ['messages_per_day', at('2026-03-03T00:00:00Z')],
    ]);
  });

  it('lets known recipients have more', () => {
    const twice = [...messages(2), ...messages(2), ...messages(3)];
    expect(forecast({ recipientsPerMonth: 2 }, twice)).toEqual([
      ['recipients_per_month', at('2026-04-01T00:00:00Z')],
    ]);
  });

  it('ends, even if a limit would take years', () => {
    const held = forecast({ messagesPerMonth: 1 }, messages(2_000));
    expect(held.length).toBe(1_999);
  });
});
