import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Coalescer, CoalescedLoader, TaskCoalescer } from './coalescer';

/** A coalescer of at most 4 items whose groups end when the test says so. */
function manualCoalescer() {
  const groups: { items: readonly number[]; end: (failure?: Error) => void }[] = [];
  const coalescer = new Coalescer(
    (items: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = (failure?: Error) => {
          if (failure) reject(failure);
          else resolve(items.map((item) => item * 10));
        };
        groups.push({ items, end });
      }),
    { maxGroupSize: 4 },
  );
  return { coalescer, groups };
}

const nextGroup = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('Coalescer', () => {
  it('groups items that are submitted together, and items that arrive meanwhile into the next group', async () => {
    const { coalescer, groups } = manualCoalescer();
    const first = [1, 2].map((item) => coalescer.submit(item));
    await nextGroup();
    const second = [3, 4].map((item) => coalescer.submit(item));
    await nextGroup();
    expect(groups.map(({ items }) => items)).toEqual([[1, 2]]);
    groups[0]?.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await nextGroup();
    expect(groups.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    groups[1]?.end();
    expect(await Promise.all(second)).toEqual([30, 40]);
  });

  it('starts again after it was idle', async () => {
    const { coalescer, groups } = manualCoalescer();
    for (const item of [1, 2]) {
      const result = coalescer.submit(item);
      await nextGroup();
      groups.at(-1)?.end();
      expect(await result).toBe(item * 10);
    }
    expect(groups).toHaveLength(2);
  });

  it('adds up the sizes of items, and gives a larger one a group of its own', async () => {
    const groups: (readonly number[])[] = [];
    const coalescer = new Coalescer(
      (items: readonly number[]) => {
        groups.push(items);
        return items;
      },
      { maxGroupSize: 10, sizeOf: (item) => item },
    );
    await Promise.all([4, 6, 1, 30, 9, 1, 1].map((item) => coalescer.submit(item)));
    expect(groups).toEqual([[4, 6], [1], [30], [9, 1], [1]]);
  });

  it('waits for more items if it lingers', async () => {
    const groups: (readonly number[])[] = [];
    const coalescer = new Coalescer(
      (items: readonly number[]) => {
        groups.push(items);
        return items;
      },
      { lingerMs: 50 },
    );
    const first = coalescer.submit(1);
    await sleep(5);
    expect(groups).toEqual([]);
    await Promise.all([first, coalescer.submit(2)]);
    expect(groups).toEqual([[1, 2]]);
  });

  it('limits the size of a group', async () => {
    const { coalescer, groups } = manualCoalescer();
    const results = [1, 2, 3, 4, 5].map((item) => coalescer.submit(item));
    await nextGroup();
    groups[0]?.end();
    await nextGroup();
    groups[1]?.end();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    expect(groups.map(({ items }) => items)).toEqual([[1, 2, 3, 4], [5]]);
  });

  it('fails all items of a failed group, and none of the next', async () => {
    const { coalescer, groups } = manualCoalescer();
    const failed = Promise.allSettled([1, 2].map((item) => coalescer.submit(item)));
    await nextGroup();
    const next = coalescer.submit(3);
    groups[0]?.end(new Error('unavailable'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await nextGroup();
    groups[1]?.end();
    expect(await next).toBe(30);
  });

  it('fails only the item whose own promise rejects', async () => {
    const coalescer = new Coalescer((items: readonly number[]) =>
      items.map((item) => (item === 2 ? Promise.reject(new Error('not 2')) : Promise.resolve(item))),
    );
    const settled = await Promise.allSettled([1, 2, 3].map((item) => coalescer.submit(item)));
    expect(settled).toMatchObject([{ value: 1 }, { reason: new Error('not 2') }, { value: 3 }]);
  });

  it('starts the next group while a slow one is still running', async () => {
    const { coalescer, groups } = manualCoalescer();
    const slow = coalescer.submit(1);
    await nextGroup();
    const next = coalescer.submit(2);
    await sleep(300);
    await nextGroup();
    expect(groups.map(({ items }) => items)).toEqual([[1], [2]]);
    groups[1]?.end();
    expect(await next).toBe(20);
    groups[0]?.end();
    expect(await slow).toBe(10);
  });
});

describe('CoalescedLoader', () => {
  it('loads each key once per group, and returns null for a key without a value', async () => {
    const loaded: string[][] = [];
    const loader = new CoalescedLoader(String, (keys: readonly string[]) => {
      loaded.push([...keys]);
      return Promise.resolve(new Map(keys.filter((key) => key !== 'c').map((key) => [key, { key }])));
    });
    const [a, again, b, none] = await Promise.all(['a', 'a', 'b', 'c'].map((key) => loader.load(key)));
    expect(loaded).toEqual([['a', 'b', 'c']]);
    expect(again).toBe(a);
    expect([a, b, none]).toEqual([{ key: 'a' }, { key: 'b' }, null]);
  });

  it('sees a write that was made before the call, even while an older read is running', async () => {
    let stored = 'old';
    const loader = new CoalescedLoader(String, async () => {
      const now = stored;
      await sleep(20);
      return new Map([['key', now]]);
    });
    const early = loader.load('key');
    await nextGroup();
    stored = 'new';
    expect(await Promise.all([early, loader.load('key')])).toEqual(['old', 'new']);
  });
});

describe('TaskCoalescer', () => {
  it('runs each task in the async context of its caller', async () => {
    const request = new AsyncLocalStorage<string>();
    const tasks = new TaskCoalescer(async (input: number) => {
      await sleep(1);
      return [input, request.getStore()];
    });
    const results = ['first', 'second'].map((id, input) => request.run(id, () => tasks.run(input)));
    expect(await Promise.all(results)).toEqual([
      [0, 'first'],
      [1, 'second'],
    ]);
  });
});
