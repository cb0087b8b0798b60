import type { Types } from 'mongoose';
import { groupsOf } from '../../common/group-by';

/**
 * A condition of updated documents that depends on how each was read. If it is the same for all, as usual, it names none of them, because
 * the database compares what a condition names with each document.
 * @param items must include every document that the rest of the filter matches.
 * @param keyOf equal for two documents if their conditions are.
 */
export function conditionPerDocument<Item>(
  items: readonly Item[],
  idOf: (item: Item) => Types.ObjectId,
  keyOf: (item: Item) => string,
  conditionOf: (item: Item) => object,
): object {
  const [first, ...others] = groupsOf(items, keyOf);
  if (!first) return { _id: { $in: [] } };
  if (others.length === 0) return conditionOf(first[0]);
  return {
    $or: [first, ...others].map((same) => ({ _id: { $in: same.map(idOf) }, ...conditionOf(same[0]) })),
  };
}
