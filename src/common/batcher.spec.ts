import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher, BatchLoader, TaskBatcher } from './batcher';

/** A batcher of at most 4 items whose batches end when the test says so. */
function manualBatcher() {
  const batches: { items: readonly number[]; end: (failure?: Error) => void }[] = [];
  const batcher = new Batcher(
    (items: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        const end = (failure?: Error) => {
          if (failure) reject(failure);
          else resolve(items.map((item) => item * 10));
        };
        batches.push({ items, end });
      }),
    { maxBatchSize: 4 },
  );
  return { batcher, batches };
}

const nextBatch = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('Batcher', () => {
  it('batches items that are submitted together, and items that arrive meanwhile into the next batch', async () => {
    const { batcher, batches } = manualBatcher();
    const first = [1, 2].map((item) => batcher.submit(item));
    await nextBatch();
    const second = [3, 4].map((item) => batcher.submit(item));
    await nextBatch();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2]]);
    batches[0]?.end();
    expect(await Promise.all(first)).toEqual([10, 20]);
    await nextBatch();
    expect(batches.map(({ items }) => items)).toEqual([
      [1, 2],
      [3, 4],
    ]);
    batches[1]?.end();
    expect(await Promise.all(second)).toEqual([30, 40]);
  });

  it('starts again after it was idle', async () => {
    const { batcher, batches } = manualBatcher();
    for (const item of [1, 2]) {
      const result = batcher.submit(item);
      await nextBatch();
      batches.at(-1)?.end();
      expect(await result).toBe(item * 10);
    }
    expect(batches).toHaveLength(2);
  });

  it('adds up the sizes of items, and gives a larger one a batch of its own', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher(
      (items: readonly number[]) => {
        batches.push(items);
        return items;
      },
      { maxBatchSize: 10, sizeOf: (item) => item },
    );
    await Promise.all([4, 6, 1, 30, 9, 1, 1].map((item) => batcher.submit(item)));
    expect(batches).toEqual([[4, 6], [1], [30], [9, 1], [1]]);
  });

  it('waits for more items if it lingers', async () => {
    const batches: (readonly number[])[] = [];
    const batcher = new Batcher(
      (items: readonly number[]) => {
        batches.push(items);
        return items;
      },
      { lingerMs: 50 },
    );
    const first = batcher.submit(1);
    await sleep(5);
    expect(batches).toEqual([]);
    await Promise.all([first, batcher.submit(2)]);
    expect(batches).toEqual([[1, 2]]);
  });

  it('limits the size of a batch', async () => {
    const { batcher, batches } = manualBatcher();
    const results = [1, 2, 3, 4, 5].map((item) => batcher.submit(item));
    await nextBatch();
    batches[0]?.end();
    await nextBatch();
    batches[1]?.end();
    expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50]);
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3, 4], [5]]);
  });

  it('fails all items of a failed batch, and none of the next', async () => {
    const { batcher, batches } = manualBatcher();
    const failed = Promise.allSettled([1, 2].map((item) => batcher.submit(item)));
    await nextBatch();
    const next = batcher.submit(3);
    batches[0]?.end(new Error('unavailable'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await nextBatch();
    batches[1]?.end();
    expect(await next).toBe(30);
  });

  it('fails only the item whose own promise rejects', async () => {
    const batcher = new Batcher((items: readonly number[]) =>
      items.map((item) => (item === 2 ? Promise.reject(new Error('not 2')) : Promise.resolve(item))),
    );
    const settled = await Promise.allSettled([1, 2, 3].map((item) => batcher.submit(item)));
    expect(settled).toMatchObject([{ value: 1 }, { reason: new Error('not 2') }, { value: 3 }]);
  });

  it('starts the next batch while a slow one is still running', async () => {
    const { batcher, batches } = manualBatcher();
    const slow = batcher.submit(1);
    await nextBatch();
    const next = batcher.submit(2);
    await sleep(300);
    expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
    batches[1]?.end();
    expect(await next).toBe(20);
    batches[0]?.end();
    expect(await slow).toBe(10);
  });
});

describe('BatchLoader', () => {
  it('loads each key once per batch, and returns null for a key without a value', async () => {
    const loaded: string[][] = [];
    const loader = new BatchLoader(String, (keys: readonly string[]) => {
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
    const loader = new BatchLoader(String, async () => {
      const now = stored;
      await sleep(20);
      return new Map([['key', now]]);
    });
    const early = loader.load('key');
    await nextBatch();
    stored = 'new';
    expect(await Promise.all([early, loader.load('key')])).toEqual(['old', 'new']);
  });
});

describe('TaskBatcher', () => {
  it('runs each task in the async context of its caller', async () => {
    const request = new AsyncLocalStorage<string>();
    const tasks = new TaskBatcher(async (input: number) => {
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
