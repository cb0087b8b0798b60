/** The lowest slot from 0 that is not taken; undefined if `max` are. @param taken those without a number count, too. */
export function lowestFreeSlot(taken: readonly (number | undefined)[], max: number): number | undefined {
  if (taken.length >= max) return undefined;
  let slot = 0;
  while (taken.includes(slot)) slot += 1;
  return slot;
}
