import { capacityFor, type MeasuredCosts } from './capacity';

const costs: MeasuredCosts = {
  messages: [
    { rate: 10, apiCpuMs: 30, workerCpuMs: 20, schedulerCpuMs: 4, databaseCpuMs: 40 },
    { rate: 60, apiCpuMs: 9, workerCpuMs: 6, schedulerCpuMs: 0, databaseCpuMs: 12 },
  ],
  dataBytes: 2_000,
  indexBytes: 1_000,
  kilobytesPerStream: 20,
};

describe('the capacity for so many messages a month', () => {
  it('is computed for the busiest hour', () => {
    // 86,400 a day: a tenth of them in an hour is 2.4 a second.
    expect(capacityFor(costs, 30 * 86_400)).toEqual({
      messagesPerMonth: 2_592_000,
      peakRate: 2.4,
      phones: 24,
      apiCores: expect.closeTo(0.12) as number,
      workerCores: expect.closeTo(0.096) as number,
      databaseCores: expect.closeTo(0.16) as number,
      streamMegabytes: expect.closeTo(0.48) as number,
      diskGigabytes: expect.closeTo(23.328) as number,
      memoryGigabytes: expect.closeTo(0.6048) as number,
    });
  });

  it('uses the costs of the next lower rate that was measured', () => {
    expect(capacityFor(costs, 100_000_000).apiCores).toBeCloseTo((92.59 * 9) / 1_000 / 0.6, 2);
    expect(() => capacityFor({ ...costs, messages: [] }, 1)).toThrow('No costs were measured');
  });
});
