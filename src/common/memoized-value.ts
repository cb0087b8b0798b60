/** Caches the result of an expensive call for a time; concurrent readers share one call. A failure is not cached. */
export class MemoizedValue<T> {
  private cached?: { readonly value: Promise<T>; readonly expiresAt: number };

  constructor(
    private readonly ttlMs: number,
    private readonly load: () => Promise<T>,
  ) {}

  read(): Promise<T> {
    const startedAt = performance.now();
    if (this.cached && startedAt < this.cached.expiresAt) return this.cached.value;
    const cached = { value: this.load(), expiresAt: Infinity };
    cached.value.then(
      () => (cached.expiresAt = startedAt + this.ttlMs),
      () => (cached.expiresAt = startedAt),
    );
    this.cached = cached;
    return cached.value;
  }

  /** Makes the next read load the value. */
  forget(): void {
    this.cached = undefined;
  }
}
