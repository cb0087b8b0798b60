/** CPU time that a piece of work may use before it yields. */
const SLICE_MS = 2;

const waiting: (() => void)[] = [];

/**
 * Lets other requests have their turn. Of all pieces of work that wait, one continues in each turn of the event loop, however
 * many there are.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(continueFirst);
  });
}

function continueFirst(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(continueFirst);
}

/** Runs a generator in slices of a few milliseconds; it yields where it may be interrupted. */
export async function inSlices<Result>(work: Generator<undefined, Result>): Promise<Result> {
  let until = performance.now() + SLICE_MS;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await nextTurn();
    until = performance.now() + SLICE_MS;
  }
}

/** Calls a function with each item, in slices. */
export function forEachInSlices<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
): Promise<void> {
  return inSlices(visits(items, visit));
}

/** Maps items in slices. */
export async function mapInSlices<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachInSlices(items, (item, index) => results.push(map(item, index)));
  return results;
}

function* visits<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void,
): Generator<undefined, void> {
  let index = 0;
  for (const item of items) {
    visit(item, index++);
    yield;
  }
}
