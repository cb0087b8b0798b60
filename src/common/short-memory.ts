/** Remembers things for a time, and no more of them at once than there is room for: the oldest goes first. */
export class ShortMemory<Value> {
  private readonly entries = new Map<string, { readonly value: Value; readonly until: number }>();

  constructor(private readonly room: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (!entry || performance.now() < entry.until) return entry?.value;
    this.entries.delete(key);
    return undefined;
  }

  set(key: string, value: Value, forMs: number): void {
    this.entries.delete(key);
    const [oldest] = this.entries.keys();
    if (oldest !== undefined && this.entries.size >= this.room) this.entries.delete(oldest);
    this.entries.set(key, { value, until: performance.now() + forMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }
}
