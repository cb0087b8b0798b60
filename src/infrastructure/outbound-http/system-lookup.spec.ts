import type { LookupAddress } from 'node:dns';
import { setImmediate as nextTick } from 'node:timers/promises';
import { SystemLookup } from './system-lookup';

const FOUND = [{ address: '127.0.0.1', family: 4 }];

describe('SystemLookup', () => {
  const neverAborted = new AbortController().signal;
  const requested: string[] = [];
  const answer = new Map<string, (addresses: LookupAddress[]) => void>();
  const fail = new Map<string, () => void>();
  let lookup: SystemLookup;

  beforeEach(() => {
    requested.length = 0;
    lookup = new SystemLookup((hostname) => {
      requested.push(hostname);
      return new Promise((resolve, reject) => {
        answer.set(hostname, resolve);
        fail.set(hostname, () => {
          reject(new Error('no such name'));
        });
      });
    });
  });

  it.each(['printer', 'printer.local', 'nas.lan', 'service.internal.'])(
    'does not let %s wait for a public name',
    async (name) => {
      void lookup.lookup('hanging.example.com', neverAborted);
      void lookup.lookup('other.example.com', neverAborted);
      const own = lookup.lookup(name, neverAborted);
      await nextTick();
      expect(requested).toEqual(['hanging.example.com', name]);
      answer.get(name)?.(FOUND);
      expect(await own).toEqual(FOUND);
    },
  );

  it('runs one lookup at a time', async () => {
    const [first, second, third] = ['first', 'second', 'third'].map((name) =>
      lookup.lookup(name, neverAborted),
    );
    await nextTick();
    expect(requested).toEqual(['first']);
    fail.get('first')?.();
    await expect(first).rejects.toThrow('no such name');
    await nextTick();
    expect(requested).toEqual(['first', 'second']);
    answer.get('second')?.(FOUND);
    expect(await second).toEqual(FOUND);
    await nextTick();
    answer.get('third')?.([]);
    expect(await third).toEqual([]);
  });

  it('shares a lookup between concurrent callers, and looks up again afterwards', async () => {
    const all = [lookup.lookup('shared', neverAborted), lookup.lookup('shared', neverAborted)];
    await nextTick();
    all.push(lookup.lookup('shared', neverAborted));
    answer.get('shared')?.(FOUND);
    expect(await Promise.all(all)).toEqual([FOUND, FOUND, FOUND]);
    expect(requested).toEqual(['shared']);
    const again = lookup.lookup('shared', neverAborted);
    await nextTick();
    answer.get('shared')?.([]);
    expect(await again).toEqual([]);
  });

  it('skips a queued lookup when all its callers have aborted', async () => {
    const aborted = new AbortController();
    const slow = lookup.lookup('slow', neverAborted);
    const gone = [lookup.lookup('gone', aborted.signal), lookup.lookup('gone', aborted.signal)];
    const halfGone = [lookup.lookup('half gone', aborted.signal), lookup.lookup('half gone', neverAborted)];
    aborted.abort();
    await nextTick();
    answer.get('slow')?.(FOUND);
    expect(await slow).toEqual(FOUND);
    for (const { status } of await Promise.allSettled(gone)) expect(status).toBe('rejected');
    await nextTick();
    answer.get('half gone')?.(FOUND);
    expect(await Promise.all(halfGone)).toEqual([FOUND, FOUND]);
    expect(requested).toEqual(['slow', 'half gone']);
  });
});
