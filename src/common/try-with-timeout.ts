const DEFAULT_TIMEOUT_MS = 1_000;

/** For calls to Redis or the database that the caller can do without. @returns undefined on a failure or a timeout. */
export async function tryWithTimeout<T>(
  work: Promise<T>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    // After a pause of this process, timers come before the answers that have arrived; `setImmediate` comes after them.
    timer = setTimeout(() => setImmediate(resolve, undefined), timeoutMs);
  });
  try {
    return await Promise.race([work.catch(() => undefined), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
