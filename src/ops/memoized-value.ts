/** Caches the result of an expensive call for a time; concurrent readers share one call. */
export class MemoizedValue<T> {
  private cached?: { readonly value: Promise<T>; readonly expiresAt: number };

  constructor(
    private readonly ttlMs: number,
    private readonly load: () => Promise<T>,
  ) {}

  read(): Promise<T> {
    if (!this.cached || performance.now() >= this.cached.expiresAt) {
      this.cached = { value: this.load(), expiresAt: performance.now() + this.ttlMs };
    }
    return this.cached.value;
  }
}
