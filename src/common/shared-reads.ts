/**
 * Shares a read among concurrent callers with the same key: while one runs, those that ask share the next one, which starts when
 * that one ends. A caller never gets a read that had begun before it asked, so it sees its own writes.
 */
export class SharedReads<Value> {
  private readonly running = new Map<string, Promise<Value>>();
  private readonly next = new Map<string, Promise<Value>>();

  get(key: string, read: () => Promise<Value>): Promise<Value> {
    const current = this.running.get(key);
    if (!current) return this.start(key, read);
    const waiting = this.next.get(key) ?? this.startAfter(current, key, read);
    this.next.set(key, waiting);
    return waiting;
  }

  private async startAfter(current: Promise<Value>, key: string, read: () => Promise<Value>): Promise<Value> {
    await current.catch(() => undefined);
    this.next.delete(key);
    return this.start(key, read);
  }

  private async start(key: string, read: () => Promise<Value>): Promise<Value> {
    const reading = read();
    this.running.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.running.get(key) === reading) this.running.delete(key);
    }
  }
}
