/**
 * Makes a write again, once, if it failed in a way that is worth it.
 * @param write comes to the same whether it is done once or twice.
 * @throws what the second fails with, or the first in any other way.
 */
export async function repeatedOnce<Result>(
  isWorthIt: (failure: unknown) => boolean,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (failure) {
    if (!isWorthIt(failure)) throw failure;
    return write();
  }
}
