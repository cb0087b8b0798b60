/**
 * Asks until the answer satisfies, or fails with the last one.
 * @param limitMs how long it may take.
 */
export async function eventually<T>(
  ask: () => Promise<T> | T,
  satisfies: (answer: T) => boolean,
  limitMs = 40_000,
): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (Date.now() > end) throw new Error(`Still not so after ${limitMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
