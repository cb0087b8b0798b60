import { Logger } from '@nestjs/common';
import { NonOverlappingJob } from './non-overlapping-job';
import { Sweep } from './sweep.decorator';

describe('NonOverlappingJob', () => {
  it('runs once more for all calls during a run, and never twice at once', async () => {
    const job = new NonOverlappingJob('Test');
    const ends: (() => void)[] = [];
    let [atOnce, most] = [0, 0];
    const work = async () => {
      most = Math.max(most, (atOnce += 1));
      await new Promise<void>((end) => ends.push(end));
      atOnce -= 1;
    };
    const first = job.run(work);
    let hasEnded = false;
    const others = Promise.all([job.run(work), job.run(work), job.run(work)]).then(() => {
      hasEnded = true;
    });
    ends.shift()?.();
    await first;
    await new Promise(setImmediate);
    expect([ends.length, hasEnded]).toEqual([1, false]);
    ends.shift()?.();
    await others;
    const again = job.run(work);
    ends.shift()?.();
    await again;
    expect([ends.length, most]).toEqual([0, 1]);
  });

  it('logs a failure, and runs again', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const job = new NonOverlappingJob('Test');
    let runs = 0;
    const fail = () => {
      runs += 1;
      return Promise.reject(new Error('gone'));
    };
    await Promise.all([job.run(fail), job.run(fail)]);
    await job.run(fail);
    expect([runs, log.mock.calls.length]).toEqual([3, 3]);
  });
});

describe('Sweep', () => {
  it('calls the method of each object without overlap', async () => {
    const calls: string[] = [];
    class Scheduler {
      constructor(private readonly name: string) {}

      @Sweep(1_000)
      async sweep(): Promise<void> {
        calls.push(`begin ${this.name}`);
        await new Promise(setImmediate);
        calls.push(`end ${this.name}`);
      }
    }
    const [one, other] = [new Scheduler('one'), new Scheduler('other')];
    await Promise.all([one.sweep(), one.sweep(), other.sweep()]);
    expect(calls.filter((call) => call.endsWith('one'))).toEqual([
      'begin one',
      'end one',
      'begin one',
      'end one',
    ]);
    expect(calls.indexOf('begin other')).toBeLessThan(calls.indexOf('end one'));
  });
});
