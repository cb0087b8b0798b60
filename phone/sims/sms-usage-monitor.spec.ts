import fc from 'fast-check';
import { SmsUsageMonitor } from './sms-usage-monitor';

describe('SmsUsageMonitor', () => {
  it('allows three messages of nine parts in a minute, and the fourth after it', () => {
    const monitor = new SmsUsageMonitor(30);
    expect([0, 1, 2, 3, 60_000, 60_001].map((at) => monitor.allows(9, at))).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('never allows a message that is longer than the limit, and anything without one', () => {
    expect(new SmsUsageMonitor(30).allows(31, 0)).toBe(false);
    expect(new SmsUsageMonitor(null).allows(1_000, 0)).toBe(true);
  });

  it('allows exactly what fits into every window of a minute', () => {
    const arrivals = fc.array(
      fc.record({ wait: fc.integer({ min: 0, max: 40_000 }), parts: fc.integer({ min: 1, max: 9 }) }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 30 }), (messages, limit) => {
        const monitor = new SmsUsageMonitor(limit);
        const partTimes: number[] = [];
        let now = 0;
        for (const { wait, parts } of messages) {
          now += wait;
          const recent = partTimes.filter((time) => now - time <= 60_000).length;
          const isAllowed = monitor.allows(parts, now);
          expect(isAllowed).toBe(recent + parts <= limit);
          if (isAllowed) partTimes.push(...Array.from({ length: parts }, () => now));
        }
      }),
    );
  });
});
