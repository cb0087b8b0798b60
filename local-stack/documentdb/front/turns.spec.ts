import { setTimeout as pause } from 'node:timers/promises';

import { Turns } from './turns';

describe('turns', () => {
  it('come one after another under a key, and side by side under others', async () => {
    const turns = new Turns();
    const seen: string[] = [];
    const work = (name: string, milliseconds: number) => async (): Promise<void> => {
      await pause(milliseconds);
      seen.push(name);
    };
    await Promise.all([
      turns.take('a', work('a1', 40)),
      turns.take('a', work('a2', 0)),
      turns.take('b', work('b1', 10)),
    ]);
    expect(seen).toEqual(['b1', 'a1', 'a2']);
  });

  it('go on after a failure', async () => {
    const turns = new Turns();
    const failing = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('a', () => Promise.resolve(2));
    await expect(failing).rejects.toThrow('no');
    await expect(next).resolves.toBe(2);
  });
});
