import { closedLoop } from './closed-loop';
import { figuresOf } from './figures';
import { rateOf } from './slice';
import { PreparedItems } from './prepared-items';

describe('row figures', () => {
  it('are rates over all turns and percentiles of all operations of the service', () => {
    const service = [
      { units: 10, seconds: 1, times: [1, 2] },
      { units: 50, seconds: 2, times: [3, 100] },
    ];
    const limit = [{ units: 80, seconds: 2, times: [7] }];
    expect(rateOf(service)).toBe(20);
    expect(figuresOf('send_one', { service, limit })).toEqual({
      name: 'send_one',
      perSecond: 20,
      limitPerSecond: 40,
      ratio: 0.5,
      p50: 2,
      p99: 100,
    });
  });
});

describe('the closed loop', () => {
  it('keeps one operation per lane in progress and counts those started in time', async () => {
    let open = 0;
    let most = 0;
    const slice = await closedLoop(0.1, 4, async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 10));
      open -= 1;
      return 5;
    });
    expect(most).toBe(4);
    expect(slice.units).toBe(slice.times.length * 5);
    expect(slice.seconds).toBeGreaterThanOrEqual(0.1);
    expect(Math.min(...slice.times)).toBeGreaterThan(5);
  });

  it('ends early when the prepared items are used up', async () => {
    const stock = new PreparedItems<number>();
    for (let number = 1; number <= 10; number += 1) stock.push(number);
    const slice = await closedLoop(60, 3, () => Promise.resolve(stock.take() === undefined ? 0 : 1));
    expect(slice.units).toBe(10);
    expect(stock.size).toBe(0);
    stock.push(11);
    expect([stock.size, stock.take(), stock.take()]).toEqual([1, 11, undefined]);
  });

  it('rejects with the error of an operation', async () => {
    await expect(closedLoop(1, 2, () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });
});
