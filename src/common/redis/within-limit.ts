/** How long a request may wait for Redis: every use of it has a way on without it. */
const LIMIT_MS = 1_000;

/** @returns what Redis answers; undefined when it fails, or does not answer within a second. */
export async function withinLimit<T>(work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, undefined);
  });
  try {
    return await Promise.race([work.catch(() => undefined), limit]);
  } finally {
    clearTimeout(timer);
  }
}
