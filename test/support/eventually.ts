/**
 * Polls until the value is as expected.
 * @throws Error with the last value after the timeout.
 */
export async function eventually<T>(
  read: () => Promise<T> | T,
  isExpected: (value: T) => boolean,
  timeoutMs = 90_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const answer = await read();
    if (isExpected(answer)) return answer;
    if (Date.now() > deadline)
      throw new Error(`Condition not met after ${timeoutMs} ms: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
