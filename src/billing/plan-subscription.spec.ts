import { Types } from 'mongoose';
import { calculateQuota, toPlanSubscription } from './plan-subscription';

const free = { _id: 'free', displayName: 'Free', dailyLimit: 50, monthlyLimit: 300, bulkSendLimit: 50 };
const usage = {
  _id: new Types.ObjectId(),
  day: '2026-01-31',
  dayCount: 20,
  month: '2026-01',
  monthCount: 100,
  reserved: [],
  returned: [],
};

describe('plan subscription', () => {
  it.each([
    [0, 50, 50, 0],
    [20, 50, 30, 40],
    [49, 50, 1, 98],
    [299, 300, 1, 99],
    [50, 50, 0, 100],
    [60, 50, 0, 100],
    [0, 0, 0, 100],
    [7, -1, -1, 0],
  ])('%i used of %i leaves %i (%i %%)', (used, limit, remaining, percentage) => {
    expect(calculateQuota(used, limit)).toEqual({ used, limit, remaining, percentage });
  });

  it('uses UTC days and months', () => {
    const at = (time: string) => toPlanSubscription(free, usage, new Date(time));
    const used = (time: string) => [at(time).today.used, at(time).thisMonth.used];
    expect(used('2026-01-31T23:59:59.999Z')).toEqual([20, 100]);
    expect(used('2026-02-01T00:00:00.000Z')).toEqual([0, 0]);
    expect(used('2026-01-30T12:00:00.000Z')).toEqual([0, 100]);
    const { periodStart, periodEnd } = at('2026-12-31T12:00:00+02:00');
    expect([periodStart, periodEnd].map((time) => time.toISOString())).toEqual([
      '2026-12-01T00:00:00.000Z',
      '2027-01-01T00:00:00.000Z',
    ]);
  });
});
