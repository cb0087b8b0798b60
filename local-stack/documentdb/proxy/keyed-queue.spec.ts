import { setTimeout as pause } from 'node:timers/promises';

import { KeyedQueue } from './keyed-queue';

describe('KeyedQueue', () => {
  it('runs tasks of one key one after another, and those of different keys concurrently', async () => {
    const queue = new KeyedQueue();
    const seen: string[] = [];
    const work = (name: string, milliseconds: number) => async (): Promise<void> => {
      await pause(milliseconds);
      seen.push(name);
    };
    await Promise.all([
      queue.run('a', work('a1', 40)),
      queue.run('a', work('a2', 0)),
      queue.run('b', work('b1', 10)),
    ]);
    expect(seen).toEqual(['b1', 'a1', 'a2']);
  });

  it('continues after a failure', async () => {
    const queue = new KeyedQueue();
    const failing = queue.run('a', () => Promise.reject(new Error('no')));
    const next = queue.run('a', () => Promise.resolve(2));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe(2);
  });
});
