import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from './semaphore';

describe('Semaphore', () => {
  it('limits the number of running tasks, and starts them in the order of the calls', async () => {
    const semaphore = new Semaphore(2);
    const started: number[] = [];
    let [running, maxRunning] = [0, 0];
    const task = (index: number) => async () => {
      started.push(index);
      maxRunning = Math.max(maxRunning, (running += 1));
      await sleep(1);
      running -= 1;
    };
    await Promise.all([0, 1, 2, 3, 4, 5].map((index) => semaphore.run(task(index))));
    expect([started, maxRunning]).toEqual([[0, 1, 2, 3, 4, 5], 2]);
  });

  it('releases the slot of a failed task', async () => {
    const semaphore = new Semaphore(1);
    await expect(semaphore.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await semaphore.run(() => Promise.resolve('next'))).toBe('next');
  });

  it('yields to the event loop between synchronous tasks', async () => {
    const semaphore = new Semaphore(1);
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const busy = () => {
      const end = performance.now() + 3;
      while (performance.now() < end);
      return Promise.resolve();
    };
    await Promise.all(Array.from({ length: 20 }, () => semaphore.run(busy)));
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });
});
