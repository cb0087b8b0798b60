/** Adds up a number of each item. */
export const sum = <Item>(items: Iterable<Item>, numberOf: (item: Item) => number): number => {
  let total = 0;
  for (const item of items) total += numberOf(item);
  return total;
};
