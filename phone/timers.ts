/** Timers that are cleared together. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  get size(): number {
    return this.pending.size;
  }

  after(milliseconds: number, action: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.pending.delete(timer);
      action();
    }, milliseconds);
    this.pending.add(timer);
    return timer;
  }

  cancel(timer: NodeJS.Timeout): void {
    clearTimeout(timer);
    this.pending.delete(timer);
  }

  clear(): void {
    for (const timer of this.pending) clearTimeout(timer);
    this.pending.clear();
  }
}
