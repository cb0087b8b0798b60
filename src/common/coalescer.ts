import { AsyncResource } from 'node:async_hooks';

/** After this time the next group starts although the one before it is still running. */
const SLOW_GROUP_MS = 200;

const DEFAULT_MAX_GROUP_SIZE = 100;

type MaybePromise<Value> = Value | Promise<Value>;

export interface CoalescerOptions<Item> {
  /** The most that the sizes of the items of a group add up to; a larger item has a group of its own. */
  readonly maxGroupSize?: number;
  readonly sizeOf?: (item: Item) => number;
  /** How long a group waits for more items; for work that nobody waits for. Absent: until the pending I/O is done. */
  readonly lingerMs?: number;
}

interface PendingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: MaybePromise<Result>) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Group commit: items that are submitted while a group runs form the next one, which starts when that one ends or is slow. A
 * single item is not delayed, unless the coalescer lingers. Nothing is cached: a group starts after its items were submitted, so
 * a coalesced read sees every earlier write.
 */
export class Coalescer<Item, Result> {
  private pending: PendingItem<Item, Result>[] = [];
  private isRunning = false;
  // A group serves several requests, so its log lines must not carry the request id of one of them.
  private readonly context = new AsyncResource('Coalescer');

  /**
   * @param runGroup returns one result, or a promise of it, per item, in the same order. A rejected promise fails only
   * its own item; a group that throws fails all of its items.
   */
  constructor(
    private readonly runGroup: (items: readonly Item[]) => MaybePromise<readonly MaybePromise<Result>[]>,
    private readonly options: CoalescerOptions<Item> = {},
  ) {}

  /** @throws the failure of this item or of its whole group. */
  submit(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.pending.push({ item, resolve, reject });
      if (this.isRunning) return;
      this.context.runInAsyncScope(() => {
        this.startGroup();
      });
    });
  }

  private startGroup(): void {
    this.isRunning = true;
    const run = () => {
      const group = this.takeGroup();
      let hasContinued = false;
      const startNext = () => {
        if (hasContinued) return;
        hasContinued = true;
        if (this.pending.length > 0) this.startGroup();
        else this.isRunning = false;
      };
      const slow = setTimeout(startNext, SLOW_GROUP_MS);
      void this.settle(group).finally(() => {
        clearTimeout(slow);
        startNext();
      });
    };
    const { lingerMs } = this.options;
    // After the pending I/O, so that requests that arrived together share a group.
    if (lingerMs === undefined) setImmediate(run);
    else setTimeout(run, lingerMs);
  }

  private takeGroup(): PendingItem<Item, Result>[] {
    const { maxGroupSize = DEFAULT_MAX_GROUP_SIZE, sizeOf = () => 1 } = this.options;
    let size = 0;
    const end = this.pending.findIndex(({ item }) => (size += sizeOf(item)) > maxGroupSize);
    return this.pending.splice(0, end === -1 ? this.pending.length : Math.max(end, 1));
  }

  private async settle(group: readonly PendingItem<Item, Result>[]): Promise<void> {
    try {
      const results = await this.runGroup(group.map(({ item }) => item));
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as MaybePromise<Result>);
      await Promise.allSettled(results);
    } catch (failure) {
      for (const { reject } of group) reject(failure);
    }
  }
}

/** A coalescer of writes, which have no results. */
export const coalescedWrites = <Item>(
  write: (items: readonly Item[]) => Promise<void>,
  options?: CoalescerOptions<Item>,
): Coalescer<Item, undefined> =>
  new Coalescer(async (items) => {
    await write(items);
    return items.map(() => undefined);
  }, options);

/** The latest of requests that are written together, at least one. */
export const latestOf = <Request extends { readonly now: Date }>(requests: readonly Request[]): Request =>
  requests.reduce((last, next) => (next.now > last.now ? next : last));

/** Binds a task to the caller's async context (its log ids); sixty times as fast as `AsyncResource.bind`. */
function bindContext<Result>(task: () => Result): () => Result {
  const context = new AsyncResource('CoalescedTask');
  return () => context.runInAsyncScope(task);
}

/**
 * Starts tasks that arrive at the same time together, each in its caller's async context. Their steps then reach the
 * coalescers they use at the same time, and share groups.
 */
export class TaskCoalescer<Input, Result> {
  private readonly coalescer = new Coalescer((tasks: readonly (() => Promise<Result>)[]) =>
    tasks.map((task) => task()),
  );

  constructor(private readonly runTask: (input: Input) => Promise<Result>) {}

  /** @throws the failure of this task. */
  run(input: Input): Promise<Result> {
    return this.coalescer.submit(bindContext(() => this.runTask(input)));
  }
}

/** Loads values by key in groups, each key once per group, like DataLoader without its cache. Callers share the values. */
export class CoalescedLoader<Key, Value> {
  private readonly coalescer: Coalescer<Key, Value | null>;

  /**
   * @param idOf the same string for equal keys.
   * @param loadGroup returns the values that exist, by the id of their key.
   */
  constructor(
    idOf: (key: Key) => string,
    loadGroup: (keys: readonly Key[]) => Promise<ReadonlyMap<string, Value>>,
    maxGroupSize?: number,
  ) {
    this.coalescer = new Coalescer<Key, Value | null>(
      async (keys) => {
        const values = await loadGroup([...new Map(keys.map((key) => [idOf(key), key])).values()]);
        return keys.map((key) => values.get(idOf(key)) ?? null);
      },
      { maxGroupSize },
    );
  }

  /** @returns null when there is no value for the key. */
  load(key: Key): Promise<Value | null> {
    return this.coalescer.submit(key);
  }

  /** @returns the values that exist, in the order of their keys. */
  async loadMany(keys: readonly Key[]): Promise<Value[]> {
    const values = await Promise.all(keys.map((key) => this.load(key)));
    return values.filter((value) => value !== null);
  }
}
