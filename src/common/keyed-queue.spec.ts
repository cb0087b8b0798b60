import { KeyedQueue } from './keyed-queue';

describe('KeyedQueue', () => {
  it('runs the tasks of a key one after the other, those of others beside them, and forgets what has ended', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const task = (name: string, key = 'a') =>
      queue.run(key, async () => {
        log.push(`${name} starts`);
        await new Promise(setImmediate);
        log.push(`${name} ends`);
        return name;
      });
    expect(await Promise.all([task('1'), task('2'), task('other', 'b')])).toEqual(['1', '2', 'other']);
    expect(log.filter((line) => !line.startsWith('other'))).toEqual([
      '1 starts',
      '1 ends',
      '2 starts',
      '2 ends',
    ]);
    expect(log.indexOf('other starts')).toBeLessThan(log.indexOf('1 ends'));
    expect(queue.size).toBe(0);
  });

  it('continues after a task that fails', async () => {
    const queue = new KeyedQueue();
    const failing = queue.run('a', () => Promise.reject(new Error('failed')));
    const next = queue.run('a', () => Promise.resolve(1));
    await expect(failing).rejects.toThrow('failed');
    expect(await next).toBe(1);
    expect(queue.size).toBe(0);
  });
});
