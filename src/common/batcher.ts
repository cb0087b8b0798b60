import { AsyncResource } from 'node:async_hooks';

/** After this time the next batch starts although the one before it is still running. */
const SLOW_BATCH_MS = 200;

const DEFAULT_MAX_BATCH_SIZE = 100;

type MaybePromise<Value> = Value | Promise<Value>;

export interface BatcherOptions<Item> {
  /** The most that the sizes of the items of a batch add up to; a larger item has a batch of its own. */
  readonly maxBatchSize?: number;
  readonly sizeOf?: (item: Item) => number;
  /** How long a batch waits for more items; for work that nobody waits for. Absent: until the pending I/O is done. */
  readonly lingerMs?: number;
}

interface PendingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: MaybePromise<Result>) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Group commit: items that are submitted while a batch runs form the next batch, which starts when that one ends or is slow. A
 * single item is not delayed, unless the batcher lingers. Nothing is cached: a batch starts after its items were submitted, so a batched read sees every
 * earlier write.
 */
export class Batcher<Item, Result> {
  private pending: PendingItem<Item, Result>[] = [];
  private isRunning = false;
  // A batch serves several requests, so its log lines must not carry the request id of one of them.
  private readonly context = new AsyncResource('Batcher');

  /**
   * @param runBatch returns one result, or a promise of it, per item, in the same order. A rejected promise fails only
   * its own item; a batch that throws fails all of its items.
   */
  constructor(
    private readonly runBatch: (items: readonly Item[]) => MaybePromise<readonly MaybePromise<Result>[]>,
    private readonly options: BatcherOptions<Item> = {},
  ) {}

  /** @throws the failure of this item or of its whole batch. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pending.push({ item, resolve, reject });
      if (this.isRunning) return;
      this.context.runInAsyncScope(() => {
        this.startBatch();
      });
    });
  }

  private startBatch(): void {
    this.isRunning = true;
    const run = () => {
      const batch = this.takeBatch();
      let hasContinued = false;
      const startNext = () => {
        if (hasContinued) return;
        hasContinued = true;
        if (this.pending.length > 0) this.startBatch();
        else this.isRunning = false;
      };
      const slow = setTimeout(startNext, SLOW_BATCH_MS);
      void this.settle(batch).finally(() => {
        clearTimeout(slow);
        startNext();
      });
    };
    const { lingerMs } = this.options;
    // After the pending I/O, so that requests that arrived together share a batch.
    if (lingerMs === undefined) setImmediate(run);
    else setTimeout(run, lingerMs);
  }

  private takeBatch(): PendingItem<Item, Result>[] {
    const { maxBatchSize = DEFAULT_MAX_BATCH_SIZE, sizeOf = () => 1 } = this.options;
    let size = 0;
    const end = this.pending.findIndex(({ item }) => (size += sizeOf(item)) > maxBatchSize);
    return this.pending.splice(0, end === -1 ? this.pending.length : Math.max(end, 1));
  }

  private async settle(batch: readonly PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runBatch(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as MaybePromise<Result>);
      await Promise.allSettled(results);
    } catch (failure) {
      for (const { reject } of batch) reject(failure);
    }
  }
}

/** The latest of requests that are written together, at least one. */
export const latestOf = <Request extends { readonly now: Date }>(requests: readonly Request[]): Request =>
  requests.reduce((last, next) => (next.now > last.now ? next : last));

/** Binds a task to the caller's async context (its log ids); sixty times as fast as `AsyncResource.bind`. */
function bindContext<Result>(task: () => Result): () => Result {
  const context = new AsyncResource('BatchedTask');
  return () => context.runInAsyncScope(task);
}

/**
 * Starts tasks that arrive at the same time together, each in its caller's async context. Their steps then reach the
 * batchers they use at the same time, and share batches.
 */
export class TaskBatcher<Input, Result> {
  private readonly batcher = new Batcher((tasks: readonly (() => Promise<Result>)[]) =>
    tasks.map((task) => task()),
  );

  constructor(private readonly runTask: (input: Input) => Promise<Result>) {}

  /** @throws the failure of this task. */
  run(input: Input): Promise<Result> {
    return this.batcher.submit(bindContext(() => this.runTask(input)));
  }
}

/** Loads values by key in batches, each key once per batch, like DataLoader without its cache. Callers share the values. */
export class BatchLoader<Key, Value> {
  private readonly batcher: Batcher<Key, Value | null>;

  /**
   * @param idOf the same string for equal keys.
   * @param loadBatch returns the values that exist, by the id of their key.
   */
  constructor(
    idOf: (key: Key) => string,
    loadBatch: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>,
    maxBatchSize?: number,
  ) {
    this.batcher = new Batcher<Key, Value | null>(
      async (keys) => {
        const values = await loadBatch([...new Map(keys.map((key) => [idOf(key), key])).values()]);
        return keys.map((key) => values.get(idOf(key)) ?? null);
      },
      { maxBatchSize },
    );
  }

  /** @returns null when there is no value for the key. */
  load(key: Key): Promise<Value | null> {
    return this.batcher.submit(key);
  }

  /** @returns the values that exist, in the order of their keys. */
  async loadMany(keys: readonly Key[]): Promise<Value[]> {
    const values = await Promise.all(keys.map((key) => this.load(key)));
    return values.filter((value) => value !== null);
  }
}
