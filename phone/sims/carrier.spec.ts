import { Carrier } from './carrier';

const NOON = Date.UTC(2026, 0, 31, 12);
const HOUR = 3_600_000;

describe('Carrier', () => {
  it('rejects messages beyond the daily cap until the next day', () => {
    const carrier = new Carrier({ messagesPerDay: 2 });
    const admitted = [NOON, NOON, NOON + 11 * HOUR, NOON + 12 * HOUR].map((at) => carrier.admit('+1', at));
    expect(admitted).toEqual([undefined, undefined, 'fail', undefined]);
  });

  it('drops messages to new recipients beyond the monthly cap until the next month', () => {
    const carrier = new Carrier({ recipientsPerMonth: 2, beyond: 'drop' });
    expect(['+1', '+2', '+1', '+3', '+2'].map((to) => carrier.admit(to, NOON))).toEqual([
      undefined,
      undefined,
      undefined,
      'drop',
      undefined,
    ]);
    expect(carrier.admit('+3', NOON + 12 * HOUR)).toBeUndefined();
  });

  it('does not count rejected messages', () => {
    const carrier = new Carrier({ messagesPerDay: 1, recipientsPerMonth: 1 });
    carrier.block = 'drop';
    expect(carrier.admit('+1', NOON)).toBe('drop');
    carrier.block = undefined;
    expect(carrier.admit('+2', NOON)).toBeUndefined();
    expect(carrier.admit('+3', NOON + 12 * HOUR)).toBeUndefined();
  });
});
