function groupsByKey<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key) {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups items by key, like `Map.groupBy` of Node 21. */
export const groupBy: <Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key) => Map<Key, Item[]> =
  groupsByKey;

/** The groups of items with the same key; none is empty. */
export const groupsOf = <Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => unknown,
): [Item, ...Item[]][] => [...groupsByKey(items, keyOf).values()];

/** Splits items into rounds in which no key occurs twice; those of one key stay in order. */
export function roundsOf<Item>(items: Iterable<Item>, keyOf: (item: Item) => unknown): Item[][] {
  const rounds: Item[][] = [];
  for (const group of groupsOf(items, keyOf))
    for (const [round, item] of group.entries()) (rounds[round] ??= []).push(item);
  return rounds;
}
