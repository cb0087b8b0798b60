import type { LookupAddress } from 'node:dns';
import { setImmediate as turn } from 'node:timers/promises';
import { SystemNames } from './system-names';

const FOUND = [{ address: '127.0.0.1', family: 4 }];

describe('the names of the system', () => {
  const stays = new AbortController().signal;
  const asked: string[] = [];
  const answer = new Map<string, (addresses: LookupAddress[]) => void>();
  const fail = new Map<string, () => void>();
  let names: SystemNames;

  beforeEach(() => {
    asked.length = 0;
    names = new SystemNames((hostname) => {
      asked.push(hostname);
      return new Promise((resolve, reject) => {
        answer.set(hostname, resolve);
        fail.set(hostname, () => {
          reject(new Error('no such name'));
        });
      });
    });
  });

  it('are asked for one after the other', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map((name) => names.ask(name, stays));
    await turn();
    expect(asked).toEqual(['first']);
    fail.get('first')?.();
    await expect(first).rejects.toThrow('no such name');
    await turn();
    expect(asked).toEqual(['first', 'second']);
    answer.get('second')?.(FOUND);
    expect(await second).toEqual(FOUND);
    await turn();
    answer.get('third')?.([]);
    expect(await third).toEqual([]);
  });

  it('are asked for once for those who ask at the same time, and anew afterwards', async () => {
    const all = [names.ask('shared', stays), names.ask('shared', stays)];
    await turn();
    all.push(names.ask('shared', stays));
    answer.get('shared')?.(FOUND);
    expect(await Promise.all(all)).toEqual([FOUND, FOUND, FOUND]);
    expect(asked).toEqual(['shared']);
    const again = names.ask('shared', stays);
    await turn();
    answer.get('shared')?.([]);
    expect(await again).toEqual([]);
  });

  it('are not asked for when nobody waits any more', async () => {
    const left = new AbortController();
    const slow = names.ask('slow', stays);
    const gone = [names.ask('gone', left.signal), names.ask('gone', left.signal)];
    const halfGone = [names.ask('half gone', left.signal), names.ask('half gone', stays)];
    left.abort();
    await turn();
    answer.get('slow')?.(FOUND);
    expect(await slow).toEqual(FOUND);
    for (const { status } of await Promise.allSettled(gone)) expect(status).toBe('rejected');
    await turn();
    answer.get('half gone')?.(FOUND);
    expect(await Promise.all(halfGone)).toEqual([FOUND, FOUND]);
    expect(asked).toEqual(['slow', 'half gone']);
  });
});
