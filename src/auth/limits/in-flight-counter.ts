/** Counts the operations in flight in this process, by key. */
export class InFlightCounter {
  private readonly counts = new Map<string, number>();

  countOf(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Counts an operation. @returns a function that ends it; call it once. */
  add(key: string): () => void {
    this.counts.set(key, this.countOf(key) + 1);
    return () => {
      const left = this.countOf(key) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    };
  }
}
