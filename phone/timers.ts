/** Timers that end together, so that a part which is stopped leaves none behind. */
export class Timers {
  private readonly pending = new Set<NodeJS.Timeout>();

  /** Runs `action` once, `milliseconds` from now, unless it is cancelled or cleared before. */
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
