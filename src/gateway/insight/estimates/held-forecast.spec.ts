import { Types } from 'mongoose';
import { SimRecord, type SimLimits } from '../../../devices/sims/schemas/sim.schema';
import { forecastHeld } from './held-forecast';

const NOW = Date.parse('2026-03-01T12:30:00Z');
const at = (iso: string) => Date.parse(iso);
const simOf = (limits: SimLimits): SimRecord =>
  Object.assign(new SimRecord(), { _id: new Types.ObjectId(), user: new Types.ObjectId(), limits });
const messages = (count: number, dueAt = NOW) =>
  Array.from({ length: count }, (_, index) => ({ dueAt, recipient: String(index) }));
const completed = (limits: SimLimits, sent: ReturnType<typeof messages>) => {
  const steps = forecastHeld(simOf(limits), undefined, sent, NOW);
  let count = 0;
  for (let step = steps.next(); ; step = steps.next(), count++)
    if (step.done) return { ...step.value, steps: count };
};
const forecast = (limits: SimLimits, sent: ReturnType<typeof messages>) =>
  [...completed(limits, sent).held.values()].map(({ reason, until }) => [reason, until]);

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
    const { held, isComplete } = completed({ messagesPerMonth: 1 }, messages(2_000));
    expect(held.size).toBe(1_999);
    expect(isComplete).toBe(false);
    expect(completed({ messagesPerMonth: 1 }, messages(1_000)).isComplete).toBe(true);
  });

  it.each<[string, SimLimits]>([
    ['an hour', { messagesPerHour: 1 }],
    ['a day', { messagesPerDay: 20 }],
    [
      'all limits',
      { messagesPerHour: 60, messagesPerDay: 500, messagesPerMonth: 9_000, recipientsPerMonth: 10 },
    ],
  ])(
    'visits a message that leaves, and one of those that wait, in each period: the limits of %s',
    (_, limits) => {
      const count = 10_000;
      // A period visits one message that waits for each kind of limit at most.
      expect(completed(limits, messages(count)).steps).toBeLessThan(2 * count + 2 * 1_000);
    },
  );
});
