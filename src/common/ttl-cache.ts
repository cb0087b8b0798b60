/** A bounded cache whose entries expire. When it is full, the oldest entry is evicted. */
export class TtlCache<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();

  constructor(private readonly maxEntries: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry || performance.now() < entry.expiresAt) return entry?.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, ttlMs: number): void {
    this.entries.delete(key);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.maxEntries) this.entries.delete(oldest);
    this.entries.set(key, { value, expiresAt: performance.now() + ttlMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
