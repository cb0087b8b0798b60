import { TaskLimiter } from './task-limiter';

describe('TaskLimiter', () => {
  it('runs at most the given number of tasks at the same time, in order', async () => {
    const limiter = new TaskLimiter(2);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const task = (index: number) => async () => {
      started.push(index);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return index;
    };
    const results = await Promise.all([0, 1, 2, 3, 4].map((index) => limiter.run(task(index))));
    expect(results).toEqual([0, 1, 2, 3, 4]);
    expect(started).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  it('goes on after a task that fails', async () => {
    const limiter = new TaskLimiter(1);
    const failing = limiter.run(() => Promise.reject(new Error('no')));
    const next = limiter.run(() => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe('done');
    await expect(limiter.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });
});
