const FIRST_POLL_AFTER_MS = 20;

/**
 * Polls until the value is as expected, less often the longer it takes, because every poll costs CPU time.
 * @throws Error with the last value after the timeout.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  isExpected: (value: T) => boolean,
  timeoutMs = 90_000,
): Promise<T> {
  const start = Date.now();
  for (;;) {
    const answer = await read();
    if (isExpected(answer)) return answer;
    const waitedMs = Date.now() - start;
    if (waitedMs > timeoutMs)
      throw new Error(`Condition not met after ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(FIRST_POLL_AFTER_MS, waitedMs / 10)));
  }
}
