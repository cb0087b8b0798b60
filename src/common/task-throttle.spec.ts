import { setTimeout as sleep } from 'node:timers/promises';
import { TaskThrottle } from './task-throttle';

const durationOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

describe('TaskThrottle', () => {
  it('runs one task at a time, in the order of the calls', async () => {
    const throttle = new TaskThrottle();
    const started: number[] = [];
    let [running, maxRunning] = [0, 0];
    const task = (index: number) => async () => {
      started.push(index);
      maxRunning = Math.max(maxRunning, (running += 1));
      await sleep(1);
      running -= 1;
    };
    await Promise.all([0, 1, 2, 3].map((index) => throttle.run(task(index))));
    expect([started, maxRunning]).toEqual([[0, 1, 2, 3], 1]);
  });

  it('runs the next task after a failed one', async () => {
    const throttle = new TaskThrottle();
    const failed = throttle.run(() => Promise.reject(new Error('failed')));
    const next = throttle.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });

  it('rests after each task for four times its duration while others wait', async () => {
    const throttle = new TaskThrottle();
    const took = await durationOf(() =>
      Promise.all(Array.from({ length: 4 }, () => throttle.run(() => sleep(20)))),
    );
    // Four tasks and the three rests between them.
    expect(took).toBeGreaterThan(4 * 19 + 3 * 4 * 19);
  });

  it('does not slow down a caller without competition', async () => {
    const throttle = new TaskThrottle();
    const waits: number[] = [];
    for (let call = 0; call < 5; call++) {
      await throttle.run(() => sleep(20));
      waits.push(await durationOf(() => throttle.run(() => Promise.resolve())));
    }
    expect(Math.min(...waits)).toBeLessThan(20);
  });
});
