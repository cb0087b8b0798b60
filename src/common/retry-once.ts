/**
 * Retries a write once.
 * @param write must be idempotent.
 * @throws the second failure, or the first if it is not retryable.
 */
export async function retryOnce<Result>(
  isRetryable: (failure: unknown) => boolean,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (failure) {
    if (!isRetryable(failure)) throw failure;
    return write();
  }
}
