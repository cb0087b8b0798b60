import { type Block, countFalseAlarms, measureDetection } from './figures';

// The bounds of docs/build/adr/0021-sim-health.md, which has more seeds and volumes.
describe('the breaker of a SIM', () => {
  it.each([
    { messagesPerDay: 10, failureRate: 0.05, deliveryRate: 0.98, days: 365 },
    { messagesPerDay: 10, failureRate: 0.005, deliveryRate: 0, days: 365 },
    { messagesPerDay: 100, failureRate: 0.05, deliveryRate: 0.6, days: 365 },
    { messagesPerDay: 100, failureRate: 0.02, deliveryRate: 0.98, days: 365 },
    { messagesPerDay: 1_000, failureRate: 0.05, deliveryRate: 0.98, days: 365 },
    { messagesPerDay: 10_000, failureRate: 0.05, deliveryRate: 0.6, days: 28 },
  ])('stays closed in ordinary traffic: %o', ({ days, ...traffic }) => {
    expect(countFalseAlarms(traffic, 1, days)).toBe(0);
  });

  it.each<[Block, number, number, number]>([
    ['failures', 0, 16, 1],
    ['failures', 0.98, 16, 1],
    ['silence', 0.6, 300, 12],
    ['silence', 0.98, 260, 11],
  ])(
    'opens within minutes of a block in a campaign: %s, deliveries %d, %d messages, %d minutes',
    (block, deliveryRate, messages, minutes) => {
      const traffic = { messagesPerDay: 1_000, failureRate: 0.02, deliveryRate };
      for (const seed of [1, 2, 3, 4, 5]) {
        const detection = measureDetection(traffic, block, seed, { gapMs: 2_500 });
        expect(detection.messages).toBeLessThanOrEqual(messages);
        expect(detection.minutes).toBeLessThanOrEqual(minutes);
      }
    },
  );

  it.each<[Block, number, number]>([
    ['failures', 0.98, 16],
    ['silence', 0.98, 55],
    ['silence', 0.6, 130],
  ])(
    'opens after few messages in little traffic: %s, deliveries %d, %d messages',
    (block, deliveryRate, messages) => {
      for (const messagesPerDay of [10, 100]) {
        const traffic = { messagesPerDay, failureRate: 0.02, deliveryRate };
        for (const seed of [1, 2, 3, 4, 5]) {
          expect(measureDetection(traffic, block, seed).messages).toBeLessThanOrEqual(messages);
        }
      }
    },
  );
});
